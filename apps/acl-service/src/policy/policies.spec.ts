/** Rules of the policy in force when its files change: what is refused stays outside, and is known until it is mended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { Policies, type PolicyParts } from './policies.js';

const ALLOWS = 'peer:\n  web.*: [test.ping]\n';
const REFUSES = 'peer: {}\n';
const MALFORMED = 'peer:\n  "(": [test.ping]\n';

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-policies-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function aWorld() {
  writeFileSync(join(folder, 'master'), ALLOWS);
  const first = loadMasterConfig(folder);
  if (!first.ok) throw new Error('the configuration has problems');
  const noted: string[] = [];
  const details: unknown[] = [];
  let reads = 0;
  const standstill = { isOver: false, isReadingOne: false };
  const silent = () => undefined;
  const parts = {
    audit: {
      note: ({ verdict, detail }: { readonly verdict: string; readonly detail: unknown }) => {
        noted.push(verdict);
        details.push(detail);
      },
    },
    log: { info: silent, error: silent },
    onLoad: silent,
    onRead: () => {
      reads += 1;
      standstill.isOver = standstill.isReadingOne;
    },
    stoodStill: () => {
      const { isOver } = standstill;
      standstill.isOver = false;
      return isOver;
    },
  };
  const policies = new Policies(first.value, parts as unknown as PolicyParts);
  const write = (text: string) => {
    writeFileSync(join(folder, 'master'), text);
  };
  const read = (text: string) => {
    write(text);
    policies.reload();
    return { policy: policies.current.revisionText, isRefused: policies.isRefused };
  };
  return { policies, noted, details, read, reads: () => reads, write, standstill };
}

it('files that are refused leave the policy as it was; mended, they are in force again, and that is recorded', () => {
  const { policies, noted, read, reads } = aWorld();
  const before = policies.current.revisionText;
  expect(policies.isRefused).toBe(false);
  expect(read(MALFORMED)).toEqual({ policy: before, isRefused: true });
  expect(read('peer: [')).toEqual({ policy: before, isRefused: true });
  expect(read(ALLOWS)).toEqual({ policy: before, isRefused: false });
  expect(noted).toEqual(['in_force', 'refused', 'refused', 'in_force']);
  expect(reads()).toBe(3);
});

it('a problem that quotes a long pattern is cut so that it can be recorded: no half of a character ends it', () => {
  const { read, details } = aWorld();
  const faces = '\u{1f600}'.repeat(600);
  for (const before of ['', 'x']) expect(read(`peer:\n  "(${before}${faces}": [test.ping]\n`).isRefused).toBe(true);
  const [, ...refused] = details as readonly { readonly problems: readonly string[] }[];
  expect(refused.flatMap(({ problems }) => problems.map((text) => [text.length, text.isWellFormed()]))).toEqual([
    [1024, true],
    [1024, true],
  ]);
});

it('files that say the same again change nothing, and others that are sound are taken', () => {
  const { policies, noted, read } = aWorld();
  const before = policies.current;
  read(`# ours\n${ALLOWS}`);
  expect(policies.current).toBe(before);
  read(MALFORMED);
  const after = read(REFUSES);
  expect(after.isRefused).toBe(false);
  expect(after.policy).not.toBe(before.revisionText);
  expect(noted).toEqual(['in_force', 'refused', 'in_force']);
});

it('after a standstill nothing is decided by rules that were removed meanwhile, though no event has told of it yet', () => {
  const { policies, noted, write, standstill, reads } = aWorld();
  const before = policies.current.revisionText;
  write(REFUSES);
  expect([policies.current.revisionText === before, reads()]).toEqual([true, 0]);
  standstill.isOver = true;
  expect(policies.current.revisionText).not.toBe(before);
  expect([policies.current.revisionText === before, reads(), noted]).toEqual([false, 1, ['in_force', 'in_force']]);
});

it('files that take long to read are read once after a standstill, not before each decision', () => {
  const { policies, standstill, reads } = aWorld();
  Object.assign(standstill, { isOver: true, isReadingOne: true });
  expect(policies.current.revisionText).toBe(policies.current.revisionText);
  expect(reads()).toBe(1);
});
