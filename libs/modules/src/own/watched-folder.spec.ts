/** Rules of a folder of modules that tools put in place: whatever lies there by then counts, without a restart. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { OwnModules } from './own-modules.js';

let base: string;
let folder: string;
let own: OwnModules<{ readonly signal: AbortSignal }>;
let problems: string[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'nt-watched-'));
  folder = join(base, 'app', 'current', 'modules');
  problems = [];
  own = new OwnModules({
    folders: [folder],
    hostPath: '/none',
    limits: { seconds: 20, memoryMib: 512 },
    facts: () => ({}),
    onProblem: (sentence) => problems.push(sentence),
  });
});
afterEach(() => {
  own.close();
  rmSync(base, { recursive: true, force: true });
});

function put(place: string, ...names: readonly string[]): void {
  mkdirSync(place, { recursive: true });
  for (const name of names)
    writeFileSync(join(place, `${name}.sh`), `#!/bin/sh\necho '{"functions": {"ping": {"doc": "Answers."}}}'\n`, {
      mode: 0o755,
    });
}

const loaded = (...names: readonly string[]) =>
  until(`there are ${names.join(', ')}`, () => own.modules.map(({ name }) => name).join() === names.join());

it('one that is made later is taken, and so is what comes into it from then on', async () => {
  await own.watch(() => undefined);
  expect(problems).toEqual([expect.stringContaining(`${folder}: ENOENT`)]);
  put(folder, 'one');
  await loaded('one');
  put(folder, 'two');
  await loaded('one', 'two');
});

it('one that is moved into its place is taken, and so is what comes into it from then on', async () => {
  put(folder, 'one');
  await own.watch(() => undefined);
  const next = join(base, 'next');
  put(next, 'two');
  renameSync(folder, join(base, 'old'));
  renameSync(next, folder);
  await loaded('two');
  put(folder, 'three');
  await loaded('three', 'two');
});

it('one behind a link that is set anew is taken, and so is what comes into it from then on', async () => {
  const [first, second] = [join(base, 'releases', '1'), join(base, 'releases', '2')];
  put(join(first, 'modules'), 'one');
  put(join(second, 'modules'), 'two');
  mkdirSync(join(base, 'app'));
  symlinkSync(first, join(base, 'app', 'current'));
  await own.watch(() => undefined);
  symlinkSync(second, join(base, 'app', 'next'));
  renameSync(join(base, 'app', 'next'), join(base, 'app', 'current'));
  await loaded('two');
  put(join(second, 'modules'), 'three');
  await loaded('three', 'two');
});

it('one that is taken away has no modules any more, and says so once', async () => {
  put(folder, 'one');
  await own.watch(() => undefined);
  rmSync(join(base, 'app', 'current'), { recursive: true });
  await loaded();
  expect(problems).toEqual([expect.stringContaining(`${folder}: ENOENT`)]);
});
