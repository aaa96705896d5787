/** Rules of looking at silent minions: the store is read only for those that are there and idle, and nothing stops the end. */
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import { parseJid } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { pino } from 'pino';
import { lookAtSilent, type SilentPorts } from './silent.js';

await sodiumReady();

const asking = (options: Parameters<typeof aRequest>[1] = {}) =>
  ({
    jid: parseJid('20261120141646000001')!,
    request: encodeRequest(aRequest(1_795_000_000_000, options)),
  }) as unknown as records.JobRecord;
const RECORD = asking();
const STORED = [{ id: 'web1' }] as unknown as readonly records.StoredReturn[];

function ports(change: Partial<{ lookAt: SilentPorts['presence']['lookAt']; returnsOf: () => Promise<never> }>) {
  const read: string[] = [];
  const presence = { lookAt: change.lookAt ?? (() => Promise.resolve({ gone: ['b'], running: ['c'] })) };
  const returnsOf = ({ jid }: records.JobRecord) => {
    read.push(jid);
    return Promise.resolve(STORED);
  };
  const log = pino({ enabled: false });
  return { read, presence, cache: { returnsOf: change.returnsOf ?? returnsOf }, gatherTimeoutMs: 10_000, log };
}

it('what is stored is read when one is there and not at work on the job', async () => {
  const { read, ...all } = ports({});
  expect(await lookAtSilent(all, RECORD, ['a', 'b', 'c'], false)).toEqual({
    gone: ['b'],
    running: ['c'],
    returned: STORED,
  });
  expect(read).toEqual([RECORD.jid]);
});

it('nothing is read when all are gone or at work', async () => {
  const { read, ...all } = ports({});
  expect(await lookAtSilent(all, RECORD, ['b', 'c'], false)).toEqual({ gone: ['b'], running: ['c'], returned: [] });
  expect(read).toEqual([]);
});

it('what could not be learned is told as nothing, the rest is', async () => {
  const fails = () => Promise.reject(new Error('timeout'));
  const { read: _, ...unread } = ports({ returnsOf: fails });
  expect(await lookAtSilent(unread, RECORD, ['a', 'b', 'c'], false)).toEqual({
    gone: ['b'],
    running: ['c'],
    returned: [],
  });
  const { read: __, ...unasked } = ports({ lookAt: fails });
  expect(await lookAtSilent(unasked, RECORD, ['a'], false)).toEqual({ gone: [], running: [], returned: STORED });
});

it('a minion may be silent for a while where the caller waits, and for no other', async () => {
  const silences: (number | undefined)[] = [];
  const lookAt: SilentPorts['presence']['lookAt'] = (_, __, silenceMs) => {
    silences.push(silenceMs);
    return Promise.resolve({ gone: ['a'], running: [] });
  };
  const { read: _, ...all } = ports({ lookAt });
  await lookAtSilent(all, RECORD, ['a'], true);
  await lookAtSilent(all, RECORD, ['a'], false);
  expect(silences).toEqual([10_000, undefined]);
});

it.each<[string, unknown, number]>([
  ['as long as he says', 500, 500],
  ['as the master file says where he asks for longer than that may', 3_600_001, 10_000],
  ['as the master file says where he asks for nothing', 0, 10_000],
  ['as the master file says where it is no number', 'x', 10_000],
])('it may be silent %s who waits', async (_, silent_ms, wanted) => {
  let silence: number | undefined;
  const lookAt: SilentPorts['presence']['lookAt'] = (__, ___, silenceMs) => {
    silence = silenceMs;
    return Promise.resolve({ gone: ['a'], running: [] });
  };
  const { read: __, ...all } = ports({ lookAt });
  const record = asking({ options: { silent_ms } as Record<string, string> });
  await lookAtSilent(all, record, ['a'], true);
  expect(silence).toBe(wanted);
  await lookAtSilent(all, record, ['a'], false);
  expect(silence).toBeUndefined();
});
