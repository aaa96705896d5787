/** Rules of the outbox: what is sent is on the disk already, and what is not stored is neither forgotten nor called finished. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_TRACING } from '@natrium/bus';
import type { Link } from '@natrium/client';
import { sodiumReady, toHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import { Outbox } from './outbox.js';
import { Spool } from './spool.js';

const DIGEST = '1'.padStart(64, '0');
const RETURN: MinionReturn = {
  jid: parseJid('20261120141646000001')!, digest: DIGEST, instance: 'gw1', status: 'done', code: null,
  outcome: { ret: true, retcode: 0, success: true, out: null },
}; // prettier-ignore

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'nt-outbox-'))));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function aLink(bus: object): Link {
  return {
    own: { fp: 'fp' },
    subjects: { upReturn: () => 'here', up: () => 'any.return' },
    directory: { instance: () => undefined, role: () => [] },
    bus: { tracing: NO_TRACING, ...bus },
  } as unknown as Link;
}

/** Delivers the return; the gateway stores it or not. */
async function deliver(isStored: boolean) {
  const onDisk: boolean[] = [];
  const finished: string[] = [];
  const path = join(folder, 'spool', 'returns');
  const link = aLink({
    ask: () => {
      onDisk.push(existsSync(path) && readFileSync(path, 'utf8').includes(DIGEST));
      return Promise.resolve(isStored ? ok({}) : err('timeout'));
    },
  });
  const spool = new Spool(join(folder, 'spool'), () => undefined);
  const outbox = new Outbox(link, spool, { finish: (digest) => finished.push(digest) }, () => undefined);
  outbox.deliver(RETURN);
  await new Promise((resolve) => setImmediate(resolve));
  outbox.close();
  return { onDisk, finished, waiting: spool.all() };
}

describe('a return', () => {
  it('is in the spool’s file before the first byte of it is sent', async () => {
    expect((await deliver(true)).onDisk[0]).toBe(true);
  });

  it('is forgotten, and its run finished, when a gateway has stored it', async () => {
    expect(await deliver(true)).toMatchObject({ finished: [DIGEST], waiting: [] });
  });

  it('is kept, and its run not called finished, while no gateway has', async () => {
    expect(await deliver(false)).toMatchObject({ onDisk: [true, true], finished: [], waiting: [RETURN] });
  });
});

describe('what an outage has left', () => {
  it('is sent a few at a time, until all of it is stored', async () => {
    const spool = new Spool(join(folder, 'spool'), () => undefined);
    const digests = Array.from({ length: 100 }, (_, n) => String(n).padStart(64, '0'));
    for (const digest of digests) spool.put({ ...RETURN, digest });
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    let most = 0;
    const bus = {
      ask: ({ body }: { readonly body: { readonly digest: Uint8Array } }) => {
        asked.push(toHex(body.digest));
        return new Promise((resolve) => {
          answers.push(() => {
            resolve(ok({}));
          });
          most = Math.max(most, answers.length);
        });
      },
    };
    const outbox = new Outbox(aLink(bus), spool, { finish: () => undefined }, () => undefined);
    outbox.sendSpooled();
    while (answers.length > 0) {
      answers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    outbox.close();
    expect(asked).toEqual(digests);
    expect(most).toBe(16);
    expect(spool.all()).toEqual([]);
  });
});
