/** Rules of the sockets of a host's gateways: one serves them, and while any gateway is left the bus answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LocalBus } from '@natrium/events';
import { until } from '@natrium/testing';
import pino from 'pino';
import { EventAcl } from './event-acl.js';
import { MasterSockets } from './master-sockets.js';

const FILES = ['master_event.sock', 'master_event_pub.ipc', 'master_event_pull.ipc'];
/** Another process that serves, so that it can be killed: what it leaves are files that nobody answers. */
const HOLDER = `
const { createServer } = require('node:net');
const { join } = require('node:path');
const greet = (socket) => socket.on('error', () => 0).once('data', (asked) => {
  console.log(String(asked));
  socket.write('{"instance":"holder"}\\n');
});
const ready = ${JSON.stringify(FILES)}.map((file) => new Promise((done) => createServer(greet).listen(join(process.argv[1], file), done)));
Promise.all(ready).then(() => console.log('ready'));
`;

let folder: string;
let holder: ChildProcess;
let gateways: MasterSockets[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-sock-'));
  gateways = [];
  holder = spawn(process.execPath, ['-e', HOLDER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (holder.stdout !== null) await once(holder.stdout, 'data');
});
afterEach(() => {
  holder.kill('SIGKILL');
  for (const gateway of gateways) gateway.close();
  rmSync(folder, { recursive: true });
});

async function open(instance: string, random: () => number): Promise<void> {
  const bus = new LocalBus(instance, () => 1_795_000_000_000);
  const log = pino({ enabled: false });
  const gateway = new MasterSockets({ bus, sockDir: folder, instance, maxBytes: 1000, acl: new EventAcl({}), log, random }); // prettier-ignore
  gateways.push(gateway);
  await gateway.open();
}

/** Who serves, by its own word; undefined when nobody does. */
function whoServes(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, 'master_event.sock')).on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve(undefined);
    });
    createInterface({ input: socket }).on('line', (line) => {
      resolve((JSON.parse(line) as { readonly instance: string }).instance);
      socket.destroy();
    }).on('error', () => undefined); // prettier-ignore
    socket.write('{"subscribe": "none"}\n');
  });
}

it.each([
  ['one after the other', [0, 0.5, 1], ['0', '1', '2']],
  ['all at once', [0, 0, 0], ['0', '1', '2']],
  ['all at once, and the last is stopped first', [0, 0, 0], ['2', '1', '0']],
])('the holder is killed, and while any gateway is left the bus answers: %s', async (_, randoms, order) => {
  for (const [at, random] of randoms.entries()) await open(String(at), () => random);
  expect(await whoServes()).toBe('holder');
  holder.kill('SIGKILL');
  const left = new Set(order);
  for (const stopped of order) {
    await until('one of those that are left serves', async () => left.has((await whoServes()) ?? ''));
    gateways[Number(stopped)]?.close();
    left.delete(stopped);
  }
  expect(await whoServes()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

it('when one of the sockets cannot be made none is left, and all are made at a later look', async () => {
  await open('next', () => 0);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  // Where the socket has to go something lies that none can replace.
  const json = join(folder, 'master_event.sock');
  rmSync(json, { force: true });
  mkdirSync(join(json, 'in-the-way'), { recursive: true });
  await until('what was made is taken back', () => !readdirSync(folder).includes('master_event_pub.ipc'));
  rmSync(json, { recursive: true });
  await until('it serves', async () => (await whoServes()) === 'next');
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(FILES));
});

it('one whose sockets another has replaced stands by', async () => {
  holder.kill('SIGKILL');
  await open('frozen', () => 0);
  expect(await whoServes()).toBe('frozen');
  // It serves before its sockets take the places: the one that finds none there would make its own anew.
  const elsewhere = join(folder, 'other');
  mkdirSync(elsewhere);
  const other = spawn(process.execPath, ['-e', HOLDER, elsewhere], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  let asked = '';
  other.stdout.on('data', (chunk: Buffer) => (asked += chunk.toString()));
  for (const file of FILES) renameSync(join(elsewhere, file), join(folder, file));
  await until('it follows the other', () => asked.includes('standby'));
  expect(asked).not.toContain('subscribe'); // it would be a listener
  expect(await whoServes()).toBe('holder');
  other.kill('SIGKILL');
  await until('it takes them over', async () => (await whoServes()) === 'frozen');
});
