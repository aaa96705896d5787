/** Rules of the order: what is deleted is on the disk before, and what is refused deletes nothing. In a cluster: tests/policy/audit-archive.spec.ts. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditChain, clusterOf, signAuditCut, SigningKey, signRoles, sodiumReady } from '@natrium/envelope';
import { ok, refuse, type Result, type Refusal, type Value } from '@natrium/model';
import type { OpenMaster } from '../link/open-master.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { archiveAudit } from './archive-audit.js';
import { signedText } from './audit-file.js';
import type { StoredAudit, StoredRecord } from './stored-audit.js';

const NOW = 1_795_000_000_000;

let folder: string;
let file: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-archive-'));
  file = join(folder, 'audit.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

type Answer = Result<Value, Refusal>;

/** Four groups with a record each, one a minute up to now. @param answers What the acl-service answers instead. */
function aWorld(answers: Readonly<Record<string, Answer>> = {}) {
  const root = SigningKey.generate();
  const cluster = clusterOf(root.publicKey);
  const roles = { gateway: [], acl: [root.publicKey], runner: [], reactor: [], sink: [] };
  const document = signRoles(root, cluster, { serial: 1, notAfter: NOW, roles, nextRoot: null });
  const chain = new AuditChain('acl1', []);
  const records = [0, 1, 2, 3].map((n): StoredRecord => {
    const time = NOW - (3 - n) * 60_000;
    const about = {
      what: 'policy',
      caller: null,
      digest: null,
      jid: null,
      verdict: 'in_force',
      rule: null,
      detail: {},
    };
    const { bytes, number } = chain.append({ time, ...about });
    return { chain: 'acl1', number, bytes, group: { first: number, at: 10 + n } };
  });
  const audit: StoredAudit = { chain: [root.publicKey, [document]], records, heads: [], grants: undefined };
  const cut = signedText(signAuditCut(root, cluster, { time: NOW, ends: [] }));
  /** What was asked, and whether the file was whole by then. */
  const asked: (readonly [string, boolean])[] = [];
  const admin = (_what: string, fun: string, [arg]: readonly Value[]): Promise<Answer> => {
    asked.push([fun, existsSync(file) && readFileSync(file, 'utf8').trimEnd().split('\n').length === 4]);
    const from = (arg as { readonly from?: number } | undefined)?.from ?? 0;
    const given: Readonly<Record<string, Answer>> = {
      'audit.cut': ok({ before: NOW, cut }),
      'audit.archive': ok(null),
      'audit.sweep': ok({ groups: 1, next: from + 6, last: false }),
    };
    return Promise.resolve(answers[fun] ?? given[fun] ?? ok(null));
  };
  const io = new ScriptedIo();
  const archive = (dryRun = false, before = NOW - 60_000) =>
    archiveAudit({ client: { admin } } as unknown as OpenMaster, audit, before, { file, dryRun, json: false }, io);
  return { asked, archive, io };
}

it('the file is whole before the cut is in force, and nothing is deleted before that, nor behind the last group that goes', async () => {
  const { asked, archive, io } = aWorld();
  expect(await archive()).toBe(0);
  expect(asked).toEqual([
    ['audit.cut', false],
    ['audit.archive', true],
    ['audit.sweep', true],
    ['audit.sweep', true],
  ]);
  expect(io.stdout).toMatch(/: 2 records in 1 chains, .*; 2 records remain\n$/);
});

it.each([
  ['audit.cut', ['audit.cut'], false],
  ['audit.archive', ['audit.cut', 'audit.archive'], true],
])('where %s is refused nothing is deleted', async (fun, expected, isWritten) => {
  const { asked, archive, io } = aWorld({ [fun]: refuse('acl_unavailable', 'not now') });
  expect(await archive()).toBe(69);
  expect([asked.map(([one]) => one), existsSync(file)]).toEqual([expected, isWritten]);
  expect(io.stderr).toContain('not now');
  expect(io.stderr.includes(`keep ${file}`)).toBe(isWritten);
});

it('an acl-service that answers something else, as one of another version may, deletes nothing', async () => {
  const { asked, archive } = aWorld({ 'audit.cut': ok({ heads: [] }) });
  expect(await archive()).toBe(69);
  expect([asked.map(([fun]) => fun), existsSync(file)]).toEqual([['audit.cut'], false]);
});

it('a deletion that is broken off says that the next archive goes on', async () => {
  const { archive, io } = aWorld({ 'audit.sweep': refuse('store_unavailable', 'not now') });
  expect(await archive()).toBe(69);
  expect(io.stderr).toContain('is deleted by the next archive');
});

it('a dry run asks for nothing and writes nothing, nor does one in which nothing is old enough', async () => {
  const { asked, archive, io } = aWorld();
  expect(await archive(true)).toBe(0);
  expect(await archive(false, NOW - 180_000)).toBe(0);
  expect([asked, existsSync(file)]).toEqual([[], false]);
  expect(io.stdout).toMatch(/^would archive 2 records in 1 chains, .*\nnothing to archive: .*; 4 records remain\n$/);
});
