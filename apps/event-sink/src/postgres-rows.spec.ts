/** Rules of what becomes a row of which table. */
import type { Heard } from '@natrium/events';
import type { ValueMap } from '@natrium/model';
import { rowsOf } from './postgres-rows.js';

const JID = '20261121120000000001';

function anEvent(tag: string, data: ValueMap = {}): Heard {
  const stamp = '2026-11-21T12:00:00.000000';
  return { tag, data, stamp, cursor: '1.0', origin: { kind: 'service', name: 'gateway' }, id: 'gw-1.1' };
}

const parsed = (text: string | undefined) => (text === undefined ? undefined : (JSON.parse(text) as unknown));

it('makes each event a row, with _stamp in its data', () => {
  const { events, jids, returns } = rowsOf([anEvent('monitoring/web1', { n: 1 })]);
  const stamp = '2026-11-21T12:00:00.000000';
  expect(parsed(events)).toEqual([
    {
      ...{ tag: 'monitoring/web1', data: { n: 1, _stamp: stamp }, stamp: `${stamp}Z`, id: 'gw-1.1' },
      origin: { kind: 'service', name: 'gateway' },
    },
  ]);
  expect([jids, returns]).toEqual([undefined, undefined]);
});

it('makes a new job one of jids, and a return one of salt_returns', () => {
  const job = { fun: 'cmd.run_all', minions: ['web1'] };
  const ret = { id: 'web1', fun: 'cmd.run_all', return: { stdout: 'ok' }, success: true };
  const { jids, returns } = rowsOf([
    anEvent(`salt/job/${JID}/new`, job),
    anEvent(`salt/job/${JID}/ret/web1`, ret),
    anEvent(`salt/job/${JID}/ret/web2`, { fun: ['a.b', 'c.d'], return: null }),
  ]);
  expect(parsed(jids)).toEqual([{ jid: JID, load: job }]);
  expect(parsed(returns)).toMatchObject([
    { fun: 'cmd.run_all', jid: JID, minion: 'web1', success: 'true', return: { stdout: 'ok' }, full_ret: ret },
    { fun: 'a.b,c.d', minion: 'web2', success: 'false', return: null },
  ]);
});

it.each(['salt/job/1/new', `salt/job/${JID}/new/x`, `salt/job/${JID}/prog/web1/1`, `x/salt/job/${JID}/new`])(
  'makes %s a row of salt_events only',
  (tag) => {
    expect(rowsOf([anEvent(tag)])).toMatchObject({ jids: undefined, returns: undefined });
  },
);

it('replaces what PostgreSQL has no text for, and nothing else', () => {
  const { events } = rowsOf([anEvent('t', { out: 'a\0b\ud800c', kept: 'C:\\u0000 \\ud800 "\n é 😀' })]);
  expect(events).not.toMatch(/[^\\]\\u0000/);
  expect(parsed(events)).toMatchObject([{ data: { out: 'a\ufffdb\ufffdc', kept: 'C:\\u0000 \\ud800 "\n é 😀' } }]);
});
