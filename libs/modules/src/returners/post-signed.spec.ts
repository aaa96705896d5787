/** A signed POST to one who takes it and never answers. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { postSigned, type Webhook } from './post-signed.js';

let folder: string;
let silent: Server;
let webhook: Webhook;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-silent-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `whsec_${Buffer.alloc(32).toString('base64')}\n`);
  silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  webhook = { url: `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/`, secretFile };
});
afterEach(() => {
  silent.close();
  silent.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const posted = { id: '1/web1', body: '{}' };

it('is given up after its time, also when garbage is collected while it waits', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rule = expect(postSigned(webhook, posted, new AbortController().signal, 1000)).rejects.toThrow(
    'no answer came: TimeoutError',
  );
  await Promise.race([once(silent, 'request'), rule]);
  collect();
  await rule;
});

it('is given up when whoever asked is ended, before it begins and while it waits', async () => {
  const ended = new AbortController();
  const rule = expect(postSigned(webhook, posted, ended.signal)).rejects.toThrow('no answer came: AbortError');
  await once(silent, 'request');
  ended.abort();
  await rule;
  await expect(postSigned(webhook, posted, ended.signal)).rejects.toThrow('no answer came: AbortError');
});
