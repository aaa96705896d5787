/**
 * A gateway that is killed (SIGKILL) in the midst of jobs: what it had not said of them on the event bus, those say that go on with them. All
 * that the job cache has of a job is on the bus. What runners fire is asked of another.
 */
import type { MasterClient } from '@natrium/client';
import { type BusEvent, EventClient } from '@natrium/events';
import { until } from '@natrium/testing';
import { join } from 'node:path';
import { openMaster } from '../../apps/cli/src/link/open-master.js';
import { useCluster } from '../support/use-cluster.js';

const JOBS = 240;
const CALLERS = 12;
const FIRED = 120;
const MINIONS = ['a', 'b'];
const LONG_MS = 300_000;
const JOB = {
  ...{ tgt: '*', tgtType: 'glob', funs: ['test.ping'], args: [[]], timeout: 5 },
  ...{ returner: '', returnerOptions: {}, options: {} },
};

const cluster = useCluster({
  minions: MINIONS,
  masterConfig: 'auto_accept: true\n',
  brokerAuth: 'none',
  replicas: { 'master-gateway': 3 },
});

/** @param begun Called for each job. @returns Their jids. */
async function jobs(client: MasterClient, begun: (count: number) => void): Promise<readonly string[]> {
  const jids: string[] = [];
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let n = 0; n < JOBS / CALLERS; n += 1) {
      const started = await client.publishAsync(JOB);
      if (!started.ok) throw new Error(started.error.sentence);
      jids.push(started.value.jid);
      begun(jids.length);
    }
  });
  await Promise.all(callers);
  return jids;
}

async function journal(): Promise<readonly BusEvent[]> {
  const bus = new EventClient(join(cluster().master, 'run', 'master_event.sock'));
  const events: BusEvent[] = [];
  try {
    for await (const event of await bus.subscribe({ from: 'start', until: 'now' })) events.push(event);
  } finally {
    await bus.close();
  }
  return events;
}

/** Who has said an event: of a gateway, its instance. */
const senderOf = ({ id }: BusEvent) => id.slice(0, id.lastIndexOf('.'));

/** @param work Gets the operator's client, and which gateway it may kill. */
async function withMaster(work: (client: MasterClient, pid: number) => Promise<void>): Promise<void> {
  const opened = await openMaster(cluster().master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  const { client, transport } = opened.value;
  await work(client, cluster().pidOf('master-gateway')).finally(() => transport.drain());
}

/** Fires so many events by the runner's function, a few at a time. @returns The tags of those that were answered with True. */
async function fired(client: MasterClient, begun: (count: number) => void): Promise<readonly string[]> {
  const tags: string[] = [];
  let count = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let n = 0; n < FIRED / CALLERS; n += 1) {
      count += 1;
      const tag = `fired/${String(count)}`;
      begun(count);
      const answer = await client.run({ fun: 'event.send', args: [tag], timeout: 30 });
      if (answer.ok && answer.value.ret === true) tags.push(tag);
    }
  });
  await Promise.all(callers);
  return tags;
}

it(
  'loses no event that a runner fires, and has none stored twice',
  async () => {
    await withMaster(async (client, pid) => {
      const told = await fired(client, (count) => {
        if (count === FIRED / 3) process.kill(pid, 'SIGSTOP'); // what is asked of it now, it has not done
        if (count === (2 * FIRED) / 3) process.kill(pid, 'SIGKILL');
      });
      const tags = (await journal()).map(({ tag }) => tag).filter((tag) => tag.startsWith('fired/'));
      expect(told.length).toBe(FIRED);
      expect(tags.sort()).toEqual([...told].sort());
    });
  },
  LONG_MS,
);

it(
  'leaves no event of a job unsaid: what it had not said is said by another, and nothing that it had',
  async () => {
    await withMaster(async (client, pid) => {
      const { length: before } = cluster().lines; // the gateway that was killed before may have left a job, too
      const jids = await jobs(client, (count) => {
        // What it said last waits for others, to be stored with them.
        if (count === JOBS / 2) process.kill(pid, 'SIGKILL');
      });
      expect(jids.length).toBe(JOBS);
      const wanted = jids.flatMap((jid) => [
        ...[jid, `salt/job/${jid}/new`],
        ...MINIONS.map((id) => `salt/job/${jid}/ret/${id}`),
      ]);
      await until('every event of each job', async () => {
        const tags = new Set((await journal()).map(({ tag }) => tag));
        return wanted.every((tag) => tags.has(tag));
      });
      const killed = await until('who is gone is told', () => {
        const told = cluster().lines.slice(before);
        const gone = told.flatMap((line) => /"instance":"(\w+)".*a gateway is gone/.exec(line)?.[1] ?? []);
        return gone.length > 0 && gone;
      });
      const events = await journal();
      const saidItself = new Set(
        events.filter((event) => senderOf(event) === `gw-${killed[0] ?? ''}`).map(({ tag }) => tag),
      );
      expect([new Set(killed).size, saidItself.size > 0]).toEqual([1, true]);
      expect(events.filter((event) => senderOf(event) === 'left' && saidItself.has(event.tag))).toEqual([]);
    });
  },
  LONG_MS,
);
