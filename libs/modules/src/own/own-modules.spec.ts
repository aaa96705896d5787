/** Rules of loading a user's modules on a busy host: what fails for a passing reason is tried again, and few are asked at a time. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { OwnModules } from './own-modules.js';

const SECONDS = 2;
let folder: string;
let beside: string;
let own: OwnModules<{ readonly signal: AbortSignal }>;
let problems: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-own-'));
  beside = mkdtempSync(join(tmpdir(), 'nt-own-beside-'));
  problems = [];
});
afterEach(() => {
  own.close();
  for (const one of [folder, beside]) rmSync(one, { recursive: true, force: true });
});

function theirs(againMs: number) {
  own = new OwnModules({
    folders: [folder],
    hostPath: '/none',
    limits: { seconds: 20, memoryMib: 512 },
    facts: () => ({}),
    describeSeconds: SECONDS,
    againMs,
    onProblem: (sentence) => problems.push(sentence),
  });
  return own;
}

/** A program that notes when it begins and ends to say what it is. */
function put(name: string, before: string): void {
  const log = join(beside, 'log');
  const said = '{"functions": {"ping": {"doc": "Answers."}}}';
  const text = `#!/bin/sh\necho + >>${log}\n${before}\necho - >>${log}\necho '${said}'\n`;
  writeFileSync(join(folder, name), text, { mode: 0o755 });
}

const busy = () => join(beside, 'busy');
const functions = () => own.modules.map(({ name, functions }) => [name, ...Object.keys(functions)]);
const marks = () =>
  existsSync(join(beside, 'log')) ? readFileSync(join(beside, 'log'), 'utf8').trim().split('\n') : [];

it('a file that took too long has its functions when it is tried again, though it has not changed', async () => {
  put('slow.sh', `[ -e ${busy()} ] && sleep 60`);
  appendFileSync(busy(), '');
  await theirs(0).load();
  expect(functions()).toEqual([['slow']]); // what it replaces does not come back meanwhile
  rmSync(busy());
  await own.load();
  expect(functions()).toEqual([['slow', 'ping']]);
  expect(own.modules.map(({ isOwn }) => isOwn)).toEqual([true]);
  await own.load();
  expect(marks()).toEqual(['+', '+', '-']);
  expect(problems).toEqual([`${folder}/slow.sh: ran longer than ${String(SECONDS)} s and was ended`]);
});

it('it is not tried again before its time, however often the folder changes, and its problem is told once', async () => {
  put('slow.sh', 'sleep 60');
  await theirs(60_000).load();
  await own.load();
  await own.load();
  expect(marks()).toEqual(['+']);
  expect(problems).toHaveLength(1);
});

it('where folders are watched it is tried again by itself', async () => {
  put('slow.sh', `[ -e ${busy()} ] && sleep 60`);
  appendFileSync(busy(), '');
  let changes = 0;
  await theirs(100).watch(() => (changes += 1));
  rmSync(busy());
  await until('it has its functions', () => functions()[0]?.length === 2);
  expect(changes).toBeGreaterThan(1);
});

it('a file that says something else is not tried again until it changes', async () => {
  writeFileSync(join(folder, 'wrong.sh'), `#!/bin/sh\necho + >>${join(beside, 'log')}\n`, { mode: 0o755 });
  await theirs(0).load();
  await own.load();
  expect(marks()).toEqual(['+']);
});

it('asks at most four at a time what they are', async () => {
  for (let n = 0; n < 12; n += 1) put(`m${String(n)}.sh`, 'sleep 0.1');
  await theirs(0).load();
  expect(own.modules.map(({ name }) => name)).toHaveLength(12);
  let [now, most] = [0, 0];
  for (const mark of marks()) {
    now += mark === '+' ? 1 : -1;
    most = Math.max(most, now);
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});
