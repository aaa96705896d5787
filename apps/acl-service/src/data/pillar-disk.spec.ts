import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PillarDisk } from './pillar-disk.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-disk-'));
const base = join(folder, 'base');
const second = join(folder, 'second');
const prod = join(folder, 'prod');

beforeAll(() => {
  for (const path of [join(base, 'web'), join(base, '.git'), second, prod, join(folder, 'outside')]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(base, 'top.sls'), 'top\n');
  writeFileSync(join(base, 'web', 'init.sls'), 'web\n');
  writeFileSync(join(second, 'top.sls'), 'not this one\n');
  writeFileSync(join(second, 'more.sls'), 'more\n');
  writeFileSync(join(folder, 'outside', 'secret.sls'), 'secret\n');
  writeFileSync(join(base, 'huge.sls'), 'x'.repeat((1 << 20) + 1));
  writeFileSync(join(base, 'latin.sls'), Buffer.from([0x61, 0xe9]));
  mkdirSync(join(base, 'folder.sls'));
  execFileSync('mkfifo', [join(base, 'pipe.sls')]);
  symlinkSync(join(folder, 'outside', 'secret.sls'), join(base, 'stolen.sls'));
  symlinkSync(join(folder, 'outside'), join(base, 'way'));
  symlinkSync(join(prod, 'shared.sls'), join(base, 'shared.sls'));
  symlinkSync(join(base, 'self'), join(base, 'self'));
  symlinkSync(join(base, 'self'), join(base, 'loop.sls'));
  writeFileSync(join(second, 'loop.sls'), 'another\n');
  writeFileSync(join(prod, 'shared.sls'), 'shared\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const disk = () => new PillarDisk({ base: [base, second, join(folder, 'missing')], prod: [prod] });

describe('pillar files on disk', () => {
  it.each([
    ['top.sls', 'top\n'],
    ['web/init.sls', 'web\n'],
    ['more.sls', 'more\n'],
    ['shared.sls', 'shared\n'], // a link into another root
  ])('%s is read from the first root that has it', (path, text) => {
    expect(disk().read('base', path)).toMatchObject({ ok: true, value: { text } });
  });

  it.each(['nope.sls', 'nope/init.sls', 'top.sls/init.sls'])('%s is not there', (path) => {
    expect(disk().read('base', path)).toBeUndefined();
    expect(disk().read('unknown', path)).toBeUndefined();
  });

  it.each([
    ['stolen.sls', 'leads out of'],
    ['way/secret.sls', 'leads out of'],
    ['../outside/secret.sls', 'leads out of'],
    ['huge.sls', 'larger than'],
    ['latin.sls', 'cannot be read'],
    ['folder.sls', 'not a file'],
    ['pipe.sls', 'not a file'],
    ['loop.sls', 'cannot be reached'], // and is not looked for in the next root
  ])('%s gives nothing: it %s', (path, reason) => {
    const read = disk().read('base', path);
    expect(read).toMatchObject({
      ok: false,
      error: { file: join(base, path), reason: expect.stringContaining(reason) as string },
    });
  });

  it('is watched where it can change, and nowhere else', () => {
    expect(disk().folders()).toEqual([
      { path: folder, only: 'base' },
      { path: folder, only: 'second' },
      { path: folder, only: 'missing' },
      { path: folder, only: 'prod' },
      { path: base },
      { path: join(base, 'web') },
      { path: second },
      { path: prod },
    ]);
    expect(new PillarDisk({ base: [join(folder, 'a', 'b', 'c')] }).folders()).toEqual([{ path: folder, only: 'a' }]);
  });
});
