/** Rules of contracts: a body is written as it will be read, and a sender that says too much is stopped at home. */
import { Float, type Value } from '@natrium/model';
import * as z from 'zod/mini';
import { readAs, writeAs } from './codec.js';
import { type Body, contract } from './contract.js';
import * as contracts from './contracts.js';

const JID = '20261120141646000001';
const DIGEST = new Uint8Array(32).fill(7);

const returns = (ret: Value): Body<typeof contracts.returned> => ({
  jid: JID,
  digest: DIGEST,
  status: 'done',
  code: null,
  outcome: { ret, retcode: 0, success: true, out: null },
});

describe('a contract', () => {
  it('writes the fields in the order of its shape, without their names', () => {
    expect(writeAs(contracts.returned.schema, returns('x'))).toEqual([JID, DIGEST, 'done', null, ['x', 0, true, null]]);
  });

  it('writes the same whatever the order of the names', () => {
    const { outcome, ...rest } = returns('x');
    expect(writeAs(contracts.returned.schema, { outcome, ...rest })).toEqual(
      writeAs(contracts.returned.schema, returns('x')),
    );
  });

  it('carries every value of the model there and back', () => {
    const value = { a: [1, new Float(1), new Float(-Infinity), 2n ** 80n], $b: { $c: null }, ['__proto__']: 'x' };
    const read = readAs(contracts.returned.schema, writeAs(contracts.returned.schema, returns(value)));
    expect(read.outcome.ret).toEqual(value);
  });

  it('refuses to send an unknown field, a missing one and a wrong one', () => {
    const good = returns('x');
    const { code: _code, ...missing } = good;
    expect(() => writeAs(contracts.returned.schema, { ...good, extra: 1 } as typeof good)).toThrow();
    expect(() => writeAs(contracts.returned.schema, missing as typeof good)).toThrow();
    expect(() => writeAs(contracts.returned.schema, { ...good, jid: 'today' })).toThrow();
    expect(() =>
      writeAs(contracts.returned.schema, { ...good, outcome: { ...good.outcome, out: 'x'.repeat(65) } }),
    ).toThrow();
  });

  it('refuses a body of another kind', () => {
    expect(() => readAs(contracts.eventsStored.schema, writeAs(contracts.returned.schema, returns('x')))).toThrow();
    expect(() => readAs(contracts.returned.schema, writeAs(contracts.eventsStored.schema, { through: 1 }))).toThrow();
  });

  it.each([[null], [undefined], [''], [7], [{}], [[]], [new Uint8Array(5)], [[[[[[]]]]]]])(
    'refuses what is no array of its fields: %p',
    (wire) => {
      for (const { schema } of contracts.contracts) expect(() => readAs(schema, wire)).toThrow();
    },
  );

  it('lives a minute when it is a job, and half of that otherwise', () => {
    expect(contract('job', [], contracts.job.schema).lifetimeMs).toBe(60_000);
    expect(contract('jobs', [], contracts.job.schema).lifetimeMs).toBe(30_000);
  });

  it('of what an identity may send bounds its values, and those more that a stranger may send', () => {
    const bounds = contracts.contracts.map(({ kind, from, maxValues }) => ({ kind, from, maxValues }));
    const ofIdentities = bounds.filter(({ from }) => from.includes('identity'));
    expect(ofIdentities.filter(({ maxValues }) => maxValues > 1 << 18)).toEqual([]);
    expect(ofIdentities.filter(({ maxValues }) => maxValues <= 1024).map(({ kind }) => kind)).toEqual([
      'join',
      'guest',
    ]);
    expect(bounds.find(({ kind }) => kind === 'news')?.maxValues).toBe(Infinity);
  });

  it('is the only one of its kind', () => {
    const kinds = contracts.contracts.map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it('is in the list of all', () => {
    const all = Object.values(contracts).filter((one) => 'kind' in one && 'lifetimeMs' in one);
    expect(all.length).toBe(contracts.contracts.length);
  });
});

it('refuses bytes where a value belongs as it refuses everything else', () => {
  const read = (result: unknown) => () => readAs(contracts.answer.schema, [null, result]);
  expect(read(['text', 1])()).toEqual({ refusal: null, result: ['text', 1] });
  for (const bad of [Uint8Array.of(1), ['deep', { a: Uint8Array.of(1) }]]) expect(read(bad)).toThrow(z.core.$ZodError);
});
