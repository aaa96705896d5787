import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from './finding.js';
import { checkLimits, checkUsers, runningBrokers, runningServices } from './process-checks.js';

const wrong = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => `${level} ${check}`);

const UP = 'process.stdout.write("up"); setInterval(() => undefined, 1000);';

let folder: string;
let started: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-doctor-'));
  started = [];
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A process that lives until the test is over. */
async function start(program: string, ...words: readonly string[]): Promise<number | undefined> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await once(child.stdout, 'data');
  return child.pid;
}

it.each([
  [[{ app: 'nats-server', pid: 7, files: 1024 }], ['warning file limit']],
  [[{ app: 'nats-server', pid: 7, files: 65_536 }, { app: 'master-gateway', pid: 8, files: 256 }], ['warning file limit']],
  [[{ app: 'nats-server', pid: 7, files: 4096 }, { app: 'master-gateway', pid: 8, files: Infinity }], []],
  [[{ app: 'nats-server', pid: 7, files: undefined }], []],
  [[], []],
])('of file limits: %j', (running, expected) => {
  expect(wrong(checkLimits(running))).toEqual(expected);
}); // prettier-ignore

it('names the process that may open too few files, and is silent where none is known', () => {
  expect(checkLimits([{ app: 'nats-server', pid: 7, files: 1024 }])[0]?.what).toMatch(
    /^nats-server \(process 7\) may have 1024 files open/,
  );
  expect(checkLimits([])).toEqual([]);
});

it.each([
  [[{ app: 'acl-service', uid: 1 }, { app: 'master-gateway', uid: 2 }], []],
  [[{ app: 'acl-service', uid: 1 }, { app: 'acl-service', uid: 1 }], []],
  [[{ app: 'acl-service', uid: 1 }, { app: 'master-gateway', uid: 1 }], ['warning unix users']],
  [[], []],
])('of Unix users: %j', (running, expected) => {
  expect(wrong(checkUsers(running))).toEqual(expected);
}); // prettier-ignore

it('sees services of this cluster with its folder, or with their role’s beside it, and none of another’s', async () => {
  for (const [app, config] of [
    ['master-gateway', '/x/nt'],
    ['acl-service', '/x/nt-acl'],
    ['event-sink', '/x/nt-acl'],
    ['runner-service', '/x/other'],
  ] as const) {
    mkdirSync(join(folder, app));
    writeFileSync(join(folder, app, 'main.mjs'), UP);
    await start(process.execPath, join(folder, app, 'main.mjs'), '-c', config);
  }
  const apps = runningServices('/x/nt').map(({ app }) => app);
  expect(apps.sort()).toEqual(['acl-service', 'master-gateway']);
});

it('sees how many files a broker here may open, whatever limit the one who asks has', async () => {
  symlinkSync(process.execPath, join(folder, 'nats-server'));
  const pid = await start('/bin/sh', '-c', `ulimit -n 300; exec ${join(folder, 'nats-server')} -e '${UP}'`);
  const seen = runningBrokers().filter((one) => one.pid === pid);
  expect(seen).toMatchObject([{ app: 'nats-server', files: 300 }]);
});
