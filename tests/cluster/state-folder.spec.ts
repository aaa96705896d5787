/** What a state folder of `natriumctl up` is: one's alone, and taken up again as the files and options of the next start say. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PEER } from '../support/examples.js';
import { START_MS, UpCluster } from '../support/up-cluster.js';

/** With a blank, and too long for the path of a socket in it. */
const LONG = 'state of a cluster '.repeat(7).trim();

let cluster: UpCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
});

it(
  'of two on one folder the second changes nothing, and one after a kill -9 takes it up',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'nt-twice-'));
    const [folder, otherPath] = [join(root, LONG), join(root, 'other')];
    const options = { minions: ['a'], masterConfig: NO_PEER };
    const first = new UpCluster({ ...options, folder });
    cluster = first;
    await first.ready;
    symlinkSync(folder, otherPath);
    const before = writtenByUp(folder);
    const second = new UpCluster({ ...options, folder: otherPath });
    try {
      await expect(second.ready).rejects.toThrow(`is in use by another natriumctl up (process ${String(first.upPid)})`);
      expect(await second.ended).toBe(1);
      expect(writtenByUp(folder)).toEqual(before);
      expect((await first.natrium('a', 'test.ping')).code).toBe(0);
      expect((await first.call('a', 'test.ping')).code).toBe(0);
      process.kill(first.upPid, 'SIGKILL');
      await first.ended;
      cluster = new UpCluster({ ...options, folder });
      await cluster.ready;
      expect((await cluster.natrium('a', 'test.ping')).code).toBe(0);
    } finally {
      await second.stop();
      await cluster.stop();
      await first.stop();
      rmSync(root, { recursive: true });
    }
  },
  2 * START_MS,
);

it(
  'a cluster of another name comes up, and has TLS from the start on that asks for it; a minion whose key is denied ends it',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-named-'));
    const options = { folder, minions: ['a'], masterConfig: `cluster: prod\n${NO_PEER}` };
    try {
      cluster = new UpCluster(options);
      await cluster.ready;
      await cluster.stop();
      cluster = new UpCluster({ ...options, tls: true });
      await cluster.ready;
      await cluster.stop();
      rmSync(join(cluster.minion('a'), 'pki'), { recursive: true });
      cluster = new UpCluster(options);
      await expect(cluster.ready).rejects.toThrow('the key of minion a is denied; start without it');
      expect(await cluster.ended).toBe(1);
    } finally {
      await cluster?.stop();
      rmSync(folder, { recursive: true });
    }
  },
  3 * START_MS,
);

/** Greets as a broker does whoever comes first, which is `up`, and ends when a service comes. */
const DYING_BROKER = `#!${process.execPath}
const { readFileSync } = require('node:fs');
if (process.argv.includes('--version')) console.log('nats-server: v2.10.27');
else {
  const port = /127\\.0\\.0\\.1:(\\d+)/.exec(readFileSync(process.argv[3], 'utf8'))[1];
  let come = 0;
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    if (++come > 1) process.exit(3);
    socket.end('INFO {}\\r\\n');
  });
  server.listen(Number(port), '127.0.0.1');
}
`;

it(
  'a cluster whose broker ends while it starts ends as well, and says so: nothing waits for another broker',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-dying-'));
    const program = join(folder, 'nats-server');
    writeFileSync(program, DYING_BROKER, { mode: 0o755 });
    const state = join(folder, 'state');
    const env = { NATRIUM_NATS_SERVER: program };
    cluster = new UpCluster({ folder: state, minions: ['a'], masterConfig: NO_PEER, env });
    try {
      await expect(cluster.ready).rejects.toThrow('natriumctl: error: the broker ended: exit status 3');
      expect(await cluster.ended).toBe(1);
    } finally {
      await cluster.stop();
      rmSync(folder, { recursive: true });
    }
  },
  START_MS,
);

function writtenByUp(folder: string): readonly string[] {
  const files = ['broker/port', 'broker/nats-server.conf', 'master/master.d/up.conf', 'minions/a/minion'];
  return files.map((file) => readFileSync(join(folder, file), 'utf8'));
}
