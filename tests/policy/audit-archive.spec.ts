/** The old part of the audit goes into a file: all that is left is intact, so is the file, and nobody else's deletion passes for that. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readServiceConfig } from '@natrium/edge';
import { clusterOf, encode, type Signed, signAuditCut, signedIn, signedToWire, SigningKey } from '@natrium/envelope';
import { FakeClock } from '@natrium/testing';
import { AuditArchive } from '../../apps/acl-service/src/audit/audit-archive.js';
import { AuditIndex } from '../../apps/acl-service/src/audit/audit-index.js';
import { AuditLog } from '../../apps/acl-service/src/audit/audit-log.js';
import { recordsIn } from '../../apps/cli/src/acl/read-records.js';
import { apps } from '../hostile/apps.js';
import { AuditWorld, edited, MINION } from './audit-world.js';

const DAY_MS = 86_400_000;
/** The chain of an acl-service that was there before. */
const OLD = 'old';

let world: AuditWorld;
const clock = new FakeClock(Date.now() - 30 * DAY_MS);
let write: () => Promise<void>;
afterEach(() => world.stop());

/** Six groups of two records each, a month old. */
async function aWorld(more = 'audit_archive_after: 7\n'): Promise<void> {
  world = await AuditWorld.start(more);
  const log = new AuditLog(world.store, {
    instance: OLD,
    heads: [],
    now: clock.now,
    windowMs: 0,
    growsMs: 0,
    onFailure: (cause) => {
      throw cause;
    },
    onRecovered: () => undefined,
  });
  write = async () => {
    const caller = { kind: 'minion', name: MINION } as const;
    const detail = { funs: ['test.ping'], target: '*' };
    for (const rule of ['one', 'two'])
      log.write({ time: clock.now(), what: 'grant', caller, digest: null, jid: null, verdict: 'allow', rule, detail });
    await log.settled();
  };
  for (let n = 0; n < 6; n += 1) await write();
  await world.decide('test.ping');
}

const path = (name: string) => join(world.cluster.folder, name);
const oldNumbers = async () => (await world.kept()).flatMap(({ record: { chain, number } }) => (chain === OLD ? [number] : [])); // prettier-ignore
const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, n) => from + n);
const archive = (name: string) => world.audit('archive', { file: path(name) });

async function intact(name?: string): Promise<string> {
  const more = name === undefined ? {} : { file: path(name), configDir: '/nowhere' };
  const { code, lines } = await world.audit('verify', more);
  expect({ code, lines }).toEqual({ code: 0, lines: [expect.stringMatching(/^intact: /)] });
  return lines[0] ?? '';
}

async function found(): Promise<readonly string[]> {
  const { code, lines } = await world.audit('verify');
  expect(code).toBe(1);
  return lines.slice(0, -1).map((line) => line.split(': ').slice(0, 2).join(': '));
}

/** As the acl-service has it, for steps after which it is killed. */
async function aService(): Promise<AuditArchive> {
  const { keys } = world.cluster;
  const acl = keys.roleKey('acl');
  const cluster = clusterOf(keys.chain()[0]);
  const options = { acl, cluster, aclKeys: () => [acl.publicKey], now: () => Date.now(), days: () => 7 };
  return new AuditArchive(world.store, await AuditIndex.open(world.store), options);
}

async function signedBehind(number: number): Promise<Signed> {
  const next = (await world.kept()).find(({ record }) => record.chain === OLD && record.number === number + 1);
  const hash = next?.record.previous ?? new Uint8Array();
  const signed = await (await aService()).sign([{ chain: OLD, number, hash }]);
  if (!signed.ok) throw new Error(signed.error.sentence);
  return signed.value;
}

async function storedCut(): Promise<Uint8Array> {
  return (await world.store.get('cut'))?.value ?? new Uint8Array();
}

describe('an archive', () => {
  it('has all that is old enough but the last group of its chain; what is left is intact, and so is the file alone', async () => {
    await aWorld();
    const young = (await world.kept()).filter(({ record }) => record.chain !== OLD).length;
    const dry = await world.audit('archive', { dryRun: true });
    expect(dry).toEqual({ code: 0, lines: [expect.stringMatching(/^would archive 10 records in 1 chains, 20/)] });
    expect(await oldNumbers()).toEqual(upTo(12));
    const { code, lines } = await archive('one.jsonl');
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/one\.jsonl: 10 records in 1 chains, \S+Z to \S+Z, \d+ bytes; \d+ records remain$/),
      ],
    });
    expect(statSync(path('one.jsonl')).mode & 0o777).toBe(0o600);
    expect(await oldNumbers()).toEqual([10, 11]);
    expect((await world.kept()).filter(({ record }) => record.chain !== OLD).length).toBeGreaterThan(young);
    expect(await intact()).toContain(', 10 records were archived before; cluster');
    expect(await intact('one.jsonl')).toMatch(
      /^intact: 10 records in 1 chains, .*; an archive, whose end was signed at 20/,
    );
    expect(recordsIn(path('one.jsonl'))).toHaveLength(10);
    const made = (await world.kept()).find(({ record }) => record.what === 'archive');
    expect(made?.record).toMatchObject({ verdict: 'allow', caller: { kind: 'account', name: 'root' } });
  });

  it('is followed by the next, which begins where it ended; an export of what is left, a tail and a start hold, too', async () => {
    await aWorld();
    await archive('one.jsonl');
    expect(await archive('none.jsonl')).toMatchObject({
      code: 0,
      lines: [expect.stringMatching(/^nothing to archive: /)],
    });
    expect(existsSync(path('none.jsonl'))).toBe(false);
    await world.cluster.restartAcl(() => undefined);
    for (let n = 0; n < 3; n += 1) await write();
    const second = await world.audit('archive', { file: path('two.jsonl'), json: true });
    const shown: unknown = JSON.parse(second.lines[0] ?? '');
    expect(shown).toMatchObject({
      file: path('two.jsonl'),
      records: 6,
      chains: [{ chain: OLD, to: 15 }],
      dry_run: false,
    });
    expect(await oldNumbers()).toEqual([16, 17]);
    expect(await intact('two.jsonl')).toContain('intact: 6 records in 1 chains');
    expect(await intact('two.jsonl')).toContain('10 records were archived before');
    expect(await intact('one.jsonl')).toContain('intact: 10 records');
    await world.audit('export', { file: path('rest.jsonl') });
    expect(await intact('rest.jsonl')).toContain('16 records were archived before');
    const { lines } = await world.audit('tail', { json: true });
    expect(lines.map((line) => JSON.parse(line) as { chain: string; number: number }).filter(({ chain }) => chain === OLD).map(({ number }) => number)).toEqual([16, 17]); // prettier-ignore
    const another = await apps.openAcl(readServiceConfig(path('master')), () => undefined);
    await another.close();
    const first = (await world.kept()).filter(({ record }) => record.number === 0).at(-1);
    expect(first?.record.heads).toContainEqual(expect.objectContaining({ chain: OLD, number: 17 }));
    expect(await intact()).toContain('16 records were archived before');
  });

  it('that was broken off at any step leaves an intact audit, and the next one ends it', async () => {
    await aWorld();
    const service = await aService();
    const signed = await signedBehind(5);
    expect(await intact()).not.toContain('archived');
    await service.putInForce(signed);
    expect(await oldNumbers()).toEqual(upTo(12));
    expect(await intact()).toContain(', 6 records were archived before');
    await world.store.delete(`a.${OLD}.2`);
    expect(await intact()).toContain(', 6 records were archived before');
    expect((await archive('rest.jsonl')).lines[0]).toContain(': 4 records in 1 chains');
    expect(await oldNumbers()).toEqual([10, 11]);
    await intact();
    await intact('rest.jsonl');
  });

  it('loses nothing unnoticed: not its beginning, its end, nor a line', async () => {
    await aWorld();
    await archive('one.jsonl');
    const lines = readFileSync(path('one.jsonl'), 'utf8').trimEnd().split('\n');
    const without = async (keeps: (line: string) => boolean) => {
      writeFileSync(path('less.jsonl'), lines.filter(keeps).join('\n'));
      const said = await world.audit('verify', { file: path('less.jsonl') });
      return said.lines[0]?.split(': ').slice(0, 2).join(': ');
    };
    expect(await without((line) => !line.includes('"number":0,'))).toBe(`missing: chain ${OLD}, record 0`);
    expect(await without((line) => !line.includes('"number":4,'))).toBe(`missing: chain ${OLD}, record 4`);
    expect(await without((line) => !line.includes('"number":9,'))).toBe(`cut: chain ${OLD}, record 9`);
  });
});

describe('nothing is archived', () => {
  const refusedWhole = async (more: Parameters<AuditWorld['audit']>[1] = {}) => {
    const said = await world.audit('archive', { file: path('one.jsonl'), ...more });
    expect(await oldNumbers()).toEqual(upTo(12));
    expect([existsSync(path('one.jsonl')), await world.store.get('cut')]).toEqual([false, undefined]);
    return { code: said.code, said: said.lines.join('\n') };
  };

  it('while no age is configured: the refusal names the key', async () => {
    await aWorld('');
    const { code, said } = await refusedWhole();
    expect({ code, said }).toEqual({ code: 13, said: expect.stringContaining('audit_archive_after') as string });
    await intact();
  });

  it('that is younger than that', async () => {
    await aWorld('audit_archive_after: 60\n');
    expect(await refusedWhole()).toEqual({ code: 0, said: expect.stringMatching(/^nothing to archive: /) as string });
  });

  it('where anything is found', async () => {
    await aWorld();
    const putBack = await world.rewrite(`a.${OLD}.2`, (list) =>
      list.map((bytes, n) => (n === 0 ? edited(bytes, { verdict: 'refuse' }) : bytes)),
    );
    const { code, said } = await refusedWhole();
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringContaining(`edited: chain ${OLD}, record 2`) as string,
    });
    expect(said).toContain('nothing was archived');
    await putBack();
  });

  it('into a file that is there, which stays as it is, or where none can be', async () => {
    await aWorld();
    writeFileSync(path('there'), 'hello');
    await expect(archive('there')).rejects.toThrow('is there already');
    await expect(archive('there/below')).rejects.toThrow(`cannot write it: ${path('there')} is no folder`);
    expect(readFileSync(path('there'), 'utf8')).toBe('hello');
    await refusedWhole({ dryRun: true });
  });
});

describe('a deletion that is no archive is found', () => {
  beforeEach(async () => {
    await aWorld();
    await archive('one.jsonl');
    for (let n = 0; n < 3; n += 1) await write();
  });

  it('where more is gone than was signed', async () => {
    await world.store.delete(`a.${OLD}.10`);
    expect(await found()).toEqual([`missing: chain ${OLD}, record 10`]);
  });

  it('where somebody who holds the storage key, but not the role’s, made the cut', async () => {
    const { keys } = world.cluster;
    const cluster = clusterOf(keys.chain()[0]);
    const next = (await world.kept()).find(({ record }) => record.chain === OLD && record.number === 14);
    const cut = {
      time: Date.now(),
      ends: [{ chain: OLD, number: 13, hash: next?.record.previous ?? new Uint8Array() }],
    };
    for (const number of [10, 12]) await world.store.delete(`a.${OLD}.${String(number)}`);
    const another = clusterOf(SigningKey.generate().publicKey);
    for (const forged of [
      signAuditCut(SigningKey.generate(), cluster, cut),
      signAuditCut(keys.roleKey('acl'), another, cut),
    ]) {
      await world.store.put('cut', encode(signedToWire(forged)));
      expect(await found()).toEqual(['edited: a cut is not signed by the acl role of this cluster', `missing: chain ${OLD}, record 0`]); // prettier-ignore
    }
  });

  it('where an older cut was put back, or none is left', async () => {
    const first = await storedCut();
    await archive('two.jsonl');
    const second = await storedCut();
    expect(signedIn(first)).not.toEqual(signedIn(second));
    await world.store.put('cut', first);
    expect(await found()).toEqual([`missing: chain ${OLD}, record 10`]);
    await world.store.delete('cut');
    expect(await found()).toEqual([`missing: chain ${OLD}, record 0`]);
    await world.store.put('cut', second);
    await intact();
  });

  it('where the end of the chain went as well', async () => {
    for (const number of [10, 12, 14, 16]) await world.store.delete(`a.${OLD}.${String(number)}`);
    expect(new Set(await found())).toEqual(new Set([`cut: chain ${OLD}, record 10`]));
  });
});
