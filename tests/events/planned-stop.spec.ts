/** Two gateways, of which one is told to stop in the midst of jobs: what the job cache has is on the bus, too. */
import { identityAsker, MasterClient } from '@natrium/client';
import { toHex } from '@natrium/envelope';
import type { BusEvent } from '@natrium/events';
import { until } from '@natrium/testing';
import { World } from './world.js';

const JOBS = 60;
const JOB = {
  ...{ tgt: '*', tgtType: 'glob', funs: ['test.ping'], args: [[]], timeout: 5 },
  ...{ returner: '', returnerOptions: {}, options: {} },
};

let world: World;
beforeAll(async () => {
  world = await World.start('grant_timeout: 30\n'); // what is measured is what is told, also on a busy machine
  await world.cluster.closeGateway();
});
afterAll(() => world.stop());

it('no event of a job is missing after a gateway was stopped, round after round', async () => {
  const link = await world.cluster.session(world.cluster.account);
  const client = new MasterClient(identityAsker(link, 'usr'));
  const known = () => new Set(link.bus.sealer.directory.role('gateway').map(({ keyId }) => toHex(keyId)));
  const wanted = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const before = known();
    const gateway = await world.gateway(`stopped${String(round)}`);
    await until('the caller knows the gateway', () => Promise.resolve([...known()].some((one) => !before.has(one))));
    let stopping: Promise<void> | undefined;
    let begun = 0;
    const start = async () => {
      const started = await client.publishAsync(JOB);
      if (!started.ok) throw new Error(started.error.sentence);
      const { jid } = started.value;
      wanted.add(jid).add(`salt/job/${jid}/new`);
      for (const id of ['web1', 'web2']) wanted.add(`salt/job/${jid}/ret/${id}`);
      begun += 1;
      if (begun === JOBS / 3) stopping = world.stopGateway(gateway);
    };
    const callers = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < JOBS / 4; n += 1) await start();
    });
    await Promise.all(callers);
    await stopping;
  }
  const heard = await until('every event of each job', async () => {
    const events: BusEvent[] = [];
    for await (const event of await world.listen([], { from: 'start', until: 'now' })) events.push(event);
    const tags = new Set(events.map(({ tag }) => tag));
    return [...wanted].every((tag) => tags.has(tag)) && events;
  });
  expect(wanted.size).toBe(3 * JOBS * 4);
  // It has said so itself: nobody had to look for what was missing.
  expect(heard.filter(({ id }) => id.startsWith('left.'))).toEqual([]);
});
