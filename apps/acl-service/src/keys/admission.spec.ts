/** Rules of letting newcomers in by the master's files: each allow has its deny, and a file that others may write counts for nothing. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig, type MasterConfig } from '@natrium/config';
import { fingerprint, toHex } from '@natrium/envelope';
import type { Joiner } from '@natrium/flow';
import { parseMinionId, type ValueMap } from '@natrium/model';
import { FileAdmission } from './admission.js';

const MINUTE_MS = 60_000;
let folder: string;
let ignored: string[];
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-admission-'));
  mkdirSync(join(folder, 'grains'));
  [ignored, said] = [[], []];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const keyOf = (name: string) => Uint8Array.from(Buffer.from(name.padEnd(32)));

function joiner(id: string, grains: ValueMap = {}, key = id): Joiner {
  const parsed = parseMinionId(id);
  if (parsed === undefined) throw new Error(`${id} is no id`);
  return { id: parsed, identity: keyOf(key), nkey: keyOf(key), grains };
}

function put(name: string, text: string, mode = 0o644): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function admission(more = '', now = Date.now()): FileAdmission {
  writeFileSync(join(folder, 'master'), `autosign_grains_dir: ${join(folder, 'grains')}\n${more}`);
  const loaded = loadMasterConfig(folder);
  if (!loaded.ok) throw new Error('the configuration has problems');
  const config: MasterConfig = loaded.value.config;
  const onIgnored = (path: string, sentence: string) => {
    ignored.push(path);
    said.push(sentence);
  };
  return new FileAdmission({ config: () => config, now: () => now, hasRoom: () => true, onIgnored });
}

describe('autosign_file and autoreject_file', () => {
  it.each([
    ['an id', 'web1', true],
    ['a glob', 'web*', true],
    ['a whole regular expression', 'web[0-9]', true],
    ['a part of a regular expression', 'eb1', false],
    ['a comment', '# web1', false],
    ['another id', 'web10', false],
  ])('%s', (_what, line, matches) => {
    put('autosign.conf', `\n${line}\n`);
    expect(admission().signs(joiner('web1'))).toBe(matches);
    put('autoreject.conf', `${line}\n`);
    expect(admission().rejects(joiner('web1'))).toBe(matches);
  });

  it('count for nothing while others may write them, and that is told once', () => {
    const path = put('autosign.conf', 'web1\n', 0o666);
    const gate = admission();
    expect([gate.signs(joiner('web1')), gate.signs(joiner('web1'))]).toEqual([false, false]);
    expect(ignored).toEqual([path]);
    chmodSync(path, 0o644);
    expect(gate.signs(joiner('web1'))).toBe(true);
  });
});

/** Puts a folder there instead, which nobody reads as a file: root may read any file. */
function putFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

describe('an autoreject_file that cannot be used', () => {
  it.each([
    ['others may write', () => put('autoreject.conf', 'bad*\n', 0o664), 'others than its owner may write it'],
    ['cannot be read', () => putFolder('autoreject.conf'), 'it is no file'],
    ['has a line that is no pattern', () => put('autoreject.conf', 'web9\nbad.*(\n'), "'bad.*(' is neither a glob nor"],
  ])('because it %s leaves everybody in doubt, and that is told once', (_about, spoil, why) => {
    const path = spoil();
    const gate = admission();
    for (const id of ['bad1', 'good1', 'web9'])
      expect([gate.isInDoubt(joiner(id)), gate.rejects(joiner(id))]).toEqual([true, false]);
    expect(ignored).toEqual([path]);
    expect(said[0]).toContain(`nobody is let in without an operator: ${why}`);
    rmSync(path, { recursive: true });
    put('autoreject.conf', 'bad*\n*.example.com\n');
    expect(gate.isInDoubt(joiner('good1'))).toBe(false);
    expect(gate.rejects(joiner('bad1'))).toBe(true);
  });

  it('because its folder cannot be passed is not taken for one that is not there', () => {
    put('file', '');
    expect(admission(`autoreject_file: ${join(folder, 'file/autoreject.conf')}\n`).isInDoubt(joiner('web1'))).toBe(
      true,
    );
    expect(admission(`autoreject_file: ${join(folder, 'none/autoreject.conf')}\n`).isInDoubt(joiner('web1'))).toBe(
      false,
    );
  });
});

describe('what the acl-service may not read', () => {
  it.each([
    ['the autosign_file', () => putFolder('autosign.conf')],
    ['a file of grains', () => putFolder('grains/uuid')],
    ['the folder of grains', () => (rmSync(join(folder, 'grains'), { recursive: true }), put('grains', ''))],
    ['the folder of next keys', () => put('pki/minions_autosign', '')],
    ['a file of a next key', () => putFolder('pki/minions_autosign/web1')],
  ])('lets nobody in and stops nothing, where it is %s', (_about, spoil) => {
    const path = spoil();
    const gate = admission();
    for (let n = 0; n < 2; n += 1) expect(gate.signs(joiner('web1', { uuid: '8d-1' }))).toBe(false);
    expect([gate.isInDoubt(joiner('web1')), ignored]).toEqual([false, [path]]);
    expect(said[0]).toMatch(/^this lets nobody in: it (?:is no file|cannot be read)/);
  });

  it('leaves the one in doubt whose expected key it may hold', () => {
    const path = put('pki/minions/web1', toHex(keyOf('web1')), 0o664);
    const gate = admission();
    const web1 = joiner('web1');
    expect([gate.isInDoubt(web1), gate.expects(web1), gate.rejects(web1)]).toEqual([true, false, false]);
    expect([gate.isInDoubt(joiner('web2')), ignored]).toEqual([false, [path]]);
    rmSync(join(folder, 'pki/minions'), { recursive: true });
    put('pki/minions', '');
    expect([gate.isInDoubt(web1), gate.isInDoubt(joiner('web2'))]).toEqual([true, true]);
  });
});

describe('autosign_grains_dir', () => {
  it('lets in who shows a value that its file lists, and nobody else', () => {
    put('grains/uuid', '# ours\n8d-1\n8d-2\n');
    const gate = admission();
    expect(gate.signs(joiner('web1', { uuid: '8d-2' }))).toBe(true);
    for (const grains of [{}, { uuid: '8d' }, { uuid: '8d-2 ' }, { other: '8d-2' }, { uuid: '# ours' }])
      expect(gate.signs(joiner('web1', grains))).toBe(false);
  });

  it('counts for nothing in a file that others may write', () => {
    put('grains/uuid', '8d-1\n', 0o666);
    expect(admission().signs(joiner('web1', { uuid: '8d-1' }))).toBe(false);
  });
});

describe('a key that the operator put there', () => {
  it.each([
    ['public key', (key: Uint8Array) => toHex(key)],
    ['fingerprint', (key: Uint8Array) => fingerprint(key).toUpperCase()],
  ])('as %s is accepted; any other under its id is rejected', (_as, text) => {
    put('pki/minions/web1', `${text(keyOf('web1'))}\n`);
    const gate = admission();
    expect([gate.expects(joiner('web1')), gate.rejects(joiner('web1'))]).toEqual([true, false]);
    const another = joiner('web1', {}, 'thief');
    expect([gate.expects(another), gate.rejects(another)]).toEqual([false, true]);
    expect(gate.expects(joiner('web2', {}, 'web1'))).toBe(false);
    expect(gate.signs(joiner('web1'))).toBe(false);
  });
});

describe('a file of an expected key that holds none', () => {
  it.each([
    ['nothing', '# web1\n'],
    ['a key of Salt', '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC\n-----END PUBLIC KEY-----\n'],
    ['a part of a key', toHex(keyOf('web1')).slice(1)],
  ])('but %s leaves its id in doubt, turns nobody away, and is told once', (_what, text) => {
    const path = put('pki/minions/web1', text);
    const gate = admission();
    for (const web1 of [joiner('web1'), joiner('web1', {}, 'thief')])
      expect([gate.isInDoubt(web1), gate.expects(web1), gate.rejects(web1)]).toEqual([true, false, false]);
    expect([gate.isInDoubt(joiner('web2')), ignored]).toEqual([false, [path]]);
    expect(said[0]).toContain('no line of it is a public key of 64 hex digits, or a fingerprint');
    put('pki/minions/web1', `${text}\n${toHex(keyOf('web1'))}\n`);
    expect([gate.isInDoubt(joiner('web1')), gate.expects(joiner('web1'))]).toEqual([false, true]);
  });
});

describe('pki/minions_autosign', () => {
  it('lets the next key of its name in, once', () => {
    const path = put('pki/minions_autosign/web1', '');
    const gate = admission();
    expect(gate.signs(joiner('web2'))).toBe(false);
    expect(gate.signs(joiner('web1'))).toBe(true);
    expect(existsSync(path)).toBe(false);
    expect(gate.signs(joiner('web1'))).toBe(false);
  });

  it('lets nobody in where it cannot be used up, and says so once', () => {
    mkdirSync(join(folder, 'pki'), { recursive: true });
    symlinkSync('/proc/self', join(folder, 'pki/minions_autosign')); // nobody can remove a file there
    const gate = admission();
    for (let n = 0; n < 2; n += 1) expect(gate.signs(joiner('status'))).toBe(false);
    expect(ignored).toEqual([join(folder, 'pki/minions_autosign/status')]);
  });

  it('is over after autosign_timeout', () => {
    const path = put('pki/minions_autosign/web1', '');
    const old = (Date.now() - 11 * MINUTE_MS) / 1000;
    utimesSync(path, old, old);
    expect(admission('autosign_timeout: 10\n').signs(joiner('web1'))).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it('has no end with an autosign_timeout of 0', () => {
    const old = (Date.now() - 600_000 * MINUTE_MS) / 1000;
    utimesSync(put('pki/minions_autosign/web1', ''), old, old);
    expect(admission('autosign_timeout: 0\n').signs(joiner('web1'))).toBe(true);
  });
});

it('open_mode is refused with the configuration', () => {
  writeFileSync(join(folder, 'master'), 'open_mode: true\n');
  expect(loadMasterConfig(folder).ok).toBe(false);
});
