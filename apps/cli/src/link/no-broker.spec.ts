/** The sentence of a command that finds no broker: which address, and never the token or password in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInit } from '../init/init.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { connectMaster } from './connect-master.js';

it('names the address without what is secret in it', async () => {
  const configDir = mkdtempSync(join(tmpdir(), 'nt-no-broker-'));
  try {
    const lines = ['nats: [nats://me:secret@127.0.0.1:1, nats://token@127.0.0.1:1]', 'broker_auth: none', ''];
    writeFileSync(join(configDir, 'master'), lines.join('\n'));
    await runInit({ configDir }, new ScriptedIo());
    expect(await connectMaster({ configDir })).toEqual({
      ok: false,
      error: { exit: 69, sentence: 'no broker answers at nats://127.0.0.1:1, nats://127.0.0.1:1' },
    });
  } finally {
    rmSync(configDir, { recursive: true });
  }
});
