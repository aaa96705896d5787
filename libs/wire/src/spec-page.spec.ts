/**
 * spec/wire.md and the code say the same: the tables of the page are read, and each field, its place, its type and its
 * bounds are tried on the schemas.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readAs, writeAs } from './codec.js';
import { RECEIPT } from './contract.js';
import * as contracts from './contracts.js';
import * as fieldsOfAll from './fields.js';
import * as records from './records.js';
import * as routes from './routes.js';

const PAGE = readFileSync(fileURLToPath(new URL('../../../spec/wire.md', import.meta.url)), 'utf8');

interface Field {
  readonly name: string;
  readonly type: string;
}

interface Table {
  readonly text: string;
  readonly fields: readonly Field[];
}

/** Every `### name` of the page with the table below it. */
const TABLES: ReadonlyMap<string, Table> = new Map(
  PAGE.split('\n### ')
    .slice(1)
    .map((part) => {
      const text = part.split('\n## ')[0] ?? '';
      const rows = [...text.matchAll(/^\| (\w+) \| (.+) \|$/gm)].map(([, name = '', type = '']) => ({ name, type }));
      return [/^`(.+)`/.exec(text)?.[1] ?? '', { text, fields: rows.slice(1) }] as const;
    }),
);

const table = (name: string): Table => TABLES.get(name) ?? { text: `no table of ${name}`, fields: [] };

/** Values that a type takes, the smallest first and its bounds among them, and values that it does not. */
interface Samples {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const WRONG = { text: 7, number: 'seven', list: { 0: 1 }, bin: 'bytes' } as const;
const NUMBERS = { bad: [1.5, 2 ** 53, WRONG.number, null], max: Number.MAX_SAFE_INTEGER };

const SAMPLES = new Map<string, Samples>();

/** Made once for each type: many have bytes by the million. */
function samplesOf(said: string): Samples {
  const samples = SAMPLES.get(said) ?? makeSamples(said);
  SAMPLES.set(said, samples);
  return samples;
}

function makeSamples(said: string): Samples {
  const type = said.replaceAll('`', '').trim();
  const orNil = /^(.+) or nil$/.exec(type)?.[1];
  if (orNil !== undefined) {
    const { good, bad } = samplesOf(orNil);
    return { good: [...good, null], bad: bad.filter((value) => value !== null) };
  }
  const list = /^list (?:≤ (?<max>\d+)|(?<from>\d+)\.\.(?<to>\d+)) of (?<of>.+)$/.exec(type)?.groups;
  if (list !== undefined)
    return listSamples(list['of'] ?? '', Number(list['from'] ?? 0), Number(list['to'] ?? list['max']));
  const oneOf = /^one of (.+)$/.exec(type)?.[1];
  if (oneOf !== undefined) return { good: oneOf.split(', '), bad: ['other', '', WRONG.text, null] };
  const size = /^(?<what>bin|text)(?: ≤ (?<max>\d+)| (?<from>\d+)\.\.(?<to>\d+)| (?<exact>\d+))$/.exec(type)?.groups;
  if (size !== undefined) return size['what'] === 'bin' ? binSamples(size) : textSamples(size);
  const shape = /^\*(.+)\*$/.exec(type)?.[1];
  if (shape !== undefined) return shapeSamples(table(shape));
  return simpleSamples(type);
}

/** What has no size and no parts. */
function simpleSamples(type: string): Samples {
  switch (type) {
    case 'jid':
      return { good: ['0'.repeat(20)], bad: ['1'.repeat(19), '1'.repeat(21), `${'1'.repeat(19)}a`, WRONG.text, null] };
    case 'instance':
      return {
        good: ['a1_-', 'x'.repeat(64)],
        bad: ['', 'x'.repeat(65), 'a.b', 'a b', 'x\r\n', '*', '>', WRONG.text, null],
      };
    case 'int':
      return { good: [0, NUMBERS.max], bad: [-1, ...NUMBERS.bad] };
    case 'integer':
      return { good: [-NUMBERS.max, NUMBERS.max], bad: NUMBERS.bad };
    case 'bool':
      return { good: [true, false], bad: [1, 'true', null] };
    case 'value':
      return { good: [null, 1, 'text', [{ a: [1.5] }]], bad: [Uint8Array.of(1), { $other: 'x' }] };
    case '1':
      return { good: [1], bad: [0, 2, '1', null] };
    default:
      throw new RangeError(`the page names a type that is none: ${type}`);
  }
}

function binSamples({ max, exact }: Readonly<Record<string, string | undefined>>): Samples {
  const most = Number(exact ?? max);
  const good = [...(exact === undefined ? [new Uint8Array(0)] : []), new Uint8Array(most)];
  const short = exact === undefined ? [] : [new Uint8Array(most - 1)];
  return { good, bad: [new Uint8Array(most + 1), ...short, WRONG.bin, null] };
}

function textSamples({ max, to }: Readonly<Record<string, string | undefined>>): Samples {
  const most = Number(max ?? to);
  const edge = max === undefined ? { good: [''], bad: [] } : { good: ['x'], bad: [''] };
  return {
    good: [...edge.good, 'x'.repeat(most)],
    bad: ['x'.repeat(most + 1), ...edge.bad, WRONG.text, Uint8Array.of(1), null],
  };
}

function listSamples(of: string, from: number, to: number): Samples {
  const { good, bad } = samplesOf(of);
  const filled = (count: number) => new Array<unknown>(count).fill(good[0]);
  const few = from > 0 ? { good: [], bad: [[]] } : { good: [[]], bad: [] };
  return {
    good: [...few.good, filled(to), ...good.map((item) => [item])],
    bad: [...few.bad, filled(to + 1), ...bad.map((item) => [item]), WRONG.list, null],
  };
}

function shapeSamples({ fields }: Table): Samples {
  const samples = fields.map(({ type }) => samplesOf(type));
  const usual = samples.map(({ good }) => good[0]);
  const without = usual.slice(0, -1);
  const change = (index: number, value: unknown) => usual.with(index, value);
  return {
    good: samples.flatMap(({ good }, index) => good.map((value) => change(index, value))),
    bad: [
      ...samples.flatMap(({ bad }, index) => bad.map((value) => change(index, value))),
      without,
      [...usual, null],
      Object.fromEntries(fields.map(({ name }, index) => [name, usual[index]])),
      null,
    ],
  };
}

type Schema = Parameters<typeof readAs>[0];

/** What the page says of one array holds for a schema of the code. */
function expectSame(name: string, schema: Schema): void {
  const { fields } = table(name);
  const { good, bad } = shapeSamples(table(name));
  expect(fields.length).toBeGreaterThan(0);
  for (const wire of good) {
    const read = readAs(schema, wire) as object;
    expect(Object.keys(read)).toEqual(fields.map((field) => field.name));
    expect(sameWire(writeAs(schema, read), wire)).toBe(true);
  }
  for (const wire of bad) expect(() => readAs(schema, wire)).toThrow();
}

/** Equal, without printing megabytes when not. */
function sameWire(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameWire(item, (b as unknown[])[index]));
  }
  return JSON.stringify(a) === JSON.stringify(b);
}

const SHAPES: Readonly<Record<string, Schema>> = {
  signed: fieldsOfAll.signed,
  refusal: fieldsOfAll.refused,
  credential: contracts.Credential,
  session: contracts.Session,
  'grant-run': contracts.GrantRun,
  member: records.Member,
  caller: records.Caller,
  outcome: contracts.Outcome,
  told: contracts.Returned,
  absent: contracts.AbsentMinion,
  'hello question': contracts.helloQuestion,
  'hello answer': contracts.helloAnswer,
  'asked job': records.AskedJob,
  'job grant': records.JobGrant,
  'stored return': records.StoredReturn,
  'roster entry': records.RosterEntry,
  'data entry': records.DataEntry,
  'mine item': contracts.MineItem,
  'mine entry': records.MineEntry,
  'token entry': records.TokenEntry,
  'login tally': records.LoginTally,
  'done request': records.DoneRequest,
  'policy report': records.PolicyReport,
  'run record': records.RunRecord,
  'open run': records.OpenRun,
  'sink place': records.SinkPlace,
  'fired event': contracts.FiredEvent,
  'event origin': records.EventOrigin,
  'stored event': records.StoredEvent,
  'event batch': records.EventBatch,
};

describe('spec/wire.md', () => {
  it('has a table for each kind, shape and record, and for nothing else', () => {
    const kinds = contracts.contracts.map(({ kind }) => kind);
    expect([...TABLES.keys()].sort()).toEqual([...kinds, ...Object.keys(SHAPES), 'started'].sort());
  });

  it.each(contracts.contracts.map((contract) => [contract.kind, contract] as const))(
    'names the senders, the lifetime, the fields and the bounds of %s',
    (kind, { from, lifetimeMs, schema }) => {
      expect(table(kind).text).toContain(`From ${from.join(', ')}. Lives ${lifetimeMs / 1000} s.`);
      expectSame(kind, schema);
    },
  );

  it.each(Object.keys(SHAPES))('names the fields and the bounds of %s', (name) => {
    const schema = SHAPES[name];
    expect(schema).toBeDefined();
    if (schema !== undefined) expectSame(name, schema);
  });

  it('names the subjects of each question and its answers', () => {
    const rows = [
      ...PAGE.matchAll(/^\| `(\S+)` \| (?:gateway|acl|runner) \| (yes|no) \| `(\w+)` \| (?:`|a \[)(\w+)/gm),
    ];
    const said = rows.map(([, at, shared, question, answer]) => [at, shared === 'yes', question, answer]);
    const built = Object.values(routes).map(({ at, shared, question, answer }) => [
      at.replace('*', '<fp>').replace('{instance}', '<instance>'),
      shared,
      question.kind,
      answer === RECEIPT ? answer : answer.kind,
    ]);
    expect(said.sort()).toEqual(built.sort());
  });

  it('holds returns in groups of at most 10,000', () => {
    expect(PAGE).toContain('list ≤ 10000 of `stored return`');
    const one = writeAs(records.StoredReturn, {
      jid: '0'.repeat(20),
      id: 'web1',
      status: 'done',
      outcome: { ret: null, retcode: 0, success: true, out: null },
      at: 0,
    });
    expect(readAs(records.ReturnGroup, new Array(10_000).fill(one))).toHaveLength(10_000);
    expect(() => readAs(records.ReturnGroup, new Array(10_001).fill(one))).toThrow();
  });
});
