import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenFile } from './token-file.js';

const TOKEN = '0f'.repeat(32);
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'nt-token-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

it('is for its owner alone, whatever was there before', () => {
  const file = tokenFile(home);
  expect(file.read()).toBeUndefined();
  writeFileSync(file.path, 'old', { mode: 0o644 });
  file.write(TOKEN);
  expect(file.read()).toBe(TOKEN);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(['.natrium_token']);
});

it('does not write through a link', () => {
  const file = tokenFile(home);
  writeFileSync(join(home, 'other'), 'kept');
  symlinkSync(join(home, 'other'), file.path);
  file.write(TOKEN);
  expect(readFileSync(join(home, 'other'), 'utf8')).toBe('kept');
});

it('leaves nothing behind where it cannot be kept', () => {
  const file = tokenFile(home);
  mkdirSync(file.path);
  expect(() => {
    file.write(TOKEN);
  }).toThrow('EISDIR');
  expect(readdirSync(home)).toEqual(['.natrium_token']);
});

it('is not used when others may read it, when it is a link, or when it holds something else', () => {
  const file = tokenFile(home);
  file.write(TOKEN);
  chmodSync(file.path, 0o640);
  expect(() => file.read()).toThrow('mode 0600');
  file.write('not a token');
  expect(() => file.read()).toThrow('holds no token');
  rmSync(file.path);
  symlinkSync('/etc/hostname', file.path);
  expect(() => file.read()).toThrow('cannot be read');
});
