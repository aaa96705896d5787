/** `mine.get`: what it makes of the master's answer; the mine itself is in tests/cluster/mine.spec.ts. */
import type { Value, ValueMap } from '@natrium/model';
import type { MinePort } from '../mine-port.js';
import { call, named } from '../testing/call-context.js';

const none = async () => ({ ok: true, value: true }) as const;

/** The agent's port to a mine that holds `kept`, by name, then by minion. */
function reading(kept: ValueMap): { readonly mine: MinePort } {
  const read = async ({ names }: { readonly names: readonly string[] }) =>
    ({ ok: true, value: Object.fromEntries(names.map((name) => [name, kept[name] ?? {}])) }) as const;
  const run = () => Promise.reject(new Error('nothing is run here'));
  return { mine: { functions: () => ({}), run, keep: none, drop: none, read } };
}

it.each<[Value, ValueMap, Value]>([
  ['a.one', {}, { web1: 1, web2: 2 }],
  ['no.such', {}, {}],
  ['a.one,no.such', {}, { 'a.one': { web1: 1, web2: 2 } }],
  [['a.one', 'own', 'no.such'], {}, { 'a.one': { web1: 1, web2: 2 }, own: { web1: 3 } }],
  ['a.one,own', { exclude_minion: true }, { 'a.one': { web2: 2 } }],
  ['no.such,nor.this', {}, {}],
])('mine.get of %j with %j leaves out, of several functions, those that nobody keeps', async (fun, options, ret) => {
  const mine = reading({ 'a.one': { web1: 1, web2: 2 }, own: { web1: 3 } });
  expect((await call('mine.get', ['*', fun, named(options)], mine)).ret).toEqual(ret);
});

it.each([
  ['ps.pgrep', true],
  ['network.ipaddrs', true],
  ['network.ping', false],
  ['ps.kill_pid', false],
  ['cmd.shell', false],
])('from a job, mine.send may run %s only where that merely looks', async (fun, looks) => {
  const ran: string[] = [];
  const run = (name: string) => {
    ran.push(name);
    return Promise.resolve({ ret: [], retcode: 0, success: true, notes: [] });
  };
  const caller = { kind: 'account', name: 'ann' } as const;
  const { mine } = reading({});
  const { success } = await call('mine.send', [fun, 1], { caller, mine: { ...mine, run } });
  expect({ success, ran }).toEqual({ success: looks, ran: looks ? [fun] : [] });
});
