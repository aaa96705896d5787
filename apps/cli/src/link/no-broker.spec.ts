/** The sentence of a command that comes to no broker: which address and why, and never the token or password in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDoctor } from '../doctor/run-doctor.js';
import { runInit } from '../init/init.js';
import { runKeysRotate } from '../keys/run-keys.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { connectMaster } from './connect-master.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-no-broker-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

async function aCluster(...lines: readonly string[]): Promise<void> {
  writeFileSync(join(dir, 'master'), '');
  await runInit({ configDir: dir, brokerAuth: 'none' }, new ScriptedIo());
  writeFileSync(join(dir, 'master'), ['broker_auth: none', ...lines, ''].join('\n'));
}

/** What the doctor says of the cluster, and of nothing else. */
async function doctor(): Promise<unknown> {
  const io = new ScriptedIo();
  await runDoctor({ configDir: dir, json: true, all: true }, io);
  const { findings } = JSON.parse(io.stdout) as { findings: { check: string; what: string; mend: string }[] };
  return findings.filter(({ check }) => check === 'cluster').map(({ what, mend }) => ({ what, mend }));
}

async function rotate() {
  const io = new ScriptedIo();
  const exit = await runKeysRotate({ configDir: dir, delayMs: 0 }, io);
  return { exit, err: io.stderr };
}

it('names the address without what is secret in it', async () => {
  await aCluster('nats: [nats://me:secret@127.0.0.1:1, nats://token@127.0.0.1:1]');
  const sentence = 'no broker answers at nats://127.0.0.1:1, nats://127.0.0.1:1';
  const mend = 'start the broker and the services, or correct nats';
  expect(await connectMaster({ configDir: dir })).toEqual({ ok: false, error: { exit: 69, sentence, mend } });
  expect(await doctor()).toEqual([{ what: sentence, mend: `${mend}, then run this again` }]);
  expect(await rotate()).toEqual({ exit: 69, err: `${sentence}. Mend: ${mend}.\n` });
});

it('names the file of TLS that is not there, which is no matter of the broker', async () => {
  await aCluster('nats: nats://127.0.0.1:1', 'broker_ca: nosuch.crt');
  const [sentence, mend] = [
    `${dir}/nosuch.crt: broker_ca: cannot read the file (ENOENT)`,
    'put it there, for this account to read, or name another',
  ];
  const error = { exit: 78, sentence: `${sentence}. Mend: ${mend}.` };
  expect(await connectMaster({ configDir: dir })).toEqual({ ok: false, error });
  expect(await rotate()).toEqual({ exit: 78, err: `${error.sentence}\n` });
  expect(await doctor()).toEqual([{ what: sentence, mend }]);
});

it.each([
  [
    'that lets in only who it knows',
    "-ERR 'Authorization Violation'\r\n",
    'the broker at ADDRESS wants to know who comes: set broker_auth: jwt',
    'set broker_auth: jwt, then run this again',
  ],
  [
    'that has no TLS where it is asked for',
    '',
    'the broker at ADDRESS offers no TLS, which broker_ca or a tls:// in nats asks for',
    'give it tls {} in its configuration, with its certificate and key; if it has that, something else answers at this address, then run this again',
  ],
])('says what is wrong with a broker %s, and what mends that', async (_, refusal, sentence, mend) => {
  const door = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.end(refusal));
    socket.write('INFO {"server_id":"x","version":"2.10.27","max_payload":1048576,"headers":true,"proto":1}\r\n');
  });
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  try {
    const address = `${refusal === '' ? 'tls' : 'nats'}://127.0.0.1:${String((door.address() as AddressInfo).port)}`;
    await aCluster(`nats: ${address}`);
    const what = sentence.replace('ADDRESS', address);
    expect(await doctor()).toEqual([{ what, mend }]);
    const own = mend.replace(', then run this again', '');
    expect(await rotate()).toEqual({ exit: 69, err: `${what}${what.includes(own) ? '' : `. Mend: ${own}.`}\n` });
  } finally {
    door.close();
  }
});

it.each([
  ['roles', 'hold the chain of roles documents'],
  ['broker/join.creds', 'hold credentials of a NATS user'],
])('names the file of keys that is damaged, which is no defect of a command: %s', async (name, should) => {
  await runInit({ configDir: dir }, new ScriptedIo());
  const path = join(dir, 'pki', name);
  writeFileSync(path, 'junk');
  const sentence = `key file ${path} does not ${should}; restore it from a backup of its folder`;
  expect(await connectMaster({ configDir: dir })).toEqual({ ok: false, error: { exit: 78, sentence } });
  expect(await doctor()).toEqual([{ what: sentence, mend: 'mend that, then run this again' }]);
});

it('names the file of keys that cannot be read', async () => {
  await runInit({ configDir: dir }, new ScriptedIo());
  const folder = join(dir, 'pki', 'broker');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  const sentence = `ENOTDIR: not a directory, open '${join(folder, 'join.creds')}'`;
  expect(await connectMaster({ configDir: dir })).toEqual({ ok: false, error: { exit: 78, sentence } });
});
