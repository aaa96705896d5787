/** Rules of looking at silent minions: the store is read only for those that are there and idle, and nothing stops the end. */
import { parseJid } from '@natrium/model';
import type { records } from '@natrium/wire';
import { pino } from 'pino';
import { lookAtSilent, type SilentPorts } from './silent.js';

const RECORD = { jid: parseJid('20261120141646000001')! } as unknown as records.JobRecord;
const STORED = [{ id: 'web1' }] as unknown as readonly records.StoredReturn[];

function ports(change: Partial<{ lookAt: SilentPorts['presence']['lookAt']; returnsOf: () => Promise<never> }>) {
  const read: string[] = [];
  const presence = { lookAt: change.lookAt ?? (() => Promise.resolve({ gone: ['b'], running: ['c'] })) };
  const returnsOf = ({ jid }: records.JobRecord) => {
    read.push(jid);
    return Promise.resolve(STORED);
  };
  return { read, presence, cache: { returnsOf: change.returnsOf ?? returnsOf }, log: pino({ enabled: false }) };
}

it('what is stored is read when one is there and not at work on the job', async () => {
  const { read, ...all } = ports({});
  expect(await lookAtSilent(all, RECORD, ['a', 'b', 'c'])).toEqual({ gone: ['b'], running: ['c'], returned: STORED });
  expect(read).toEqual([RECORD.jid]);
});

it('nothing is read when all are gone or at work', async () => {
  const { read, ...all } = ports({});
  expect(await lookAtSilent(all, RECORD, ['b', 'c'])).toEqual({ gone: ['b'], running: ['c'], returned: [] });
  expect(read).toEqual([]);
});

it('what could not be learned is told as nothing, the rest is', async () => {
  const fails = () => Promise.reject(new Error('timeout'));
  const { read: _, ...unread } = ports({ returnsOf: fails });
  expect(await lookAtSilent(unread, RECORD, ['a', 'b', 'c'])).toEqual({ gone: ['b'], running: ['c'], returned: [] });
  const { read: __, ...unasked } = ports({ lookAt: fails });
  expect(await lookAtSilent(unasked, RECORD, ['a'])).toEqual({ gone: [], running: [], returned: STORED });
});
