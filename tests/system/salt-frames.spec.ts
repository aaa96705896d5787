/** Salt's own socket protocol on both buses, spoken by an independent Python: what `tests/events` proves, for its frames. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { saltFire, saltListener, take, World } from '../events/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
  // What is told of agents when they come is over then.
  await take(await world.listen(['salt/minion/', 'salt/auth'], { from: 'start' }), 4);
});
afterAll(async () => {
  await world.stop();
});

const saltBase = (id: string) => {
  const name = createHash('sha256').update(id).digest('hex').slice(0, 10);
  return join(world.cluster.minion(id).config.sock_dir, `minion_event_${name}`);
};

it('frames of Salt’s own protocol, written by Python on the minion, are read by Python on the master', async () => {
  const listener = await saltListener(join(world.folder('run'), 'master_event_pub.ipc'), 2);
  const local = await saltListener(`${saltBase('web2')}_pub.ipc`, 1);
  const first = await world.listen(['from/python']);
  await saltFire(`${saltBase('web2')}_pull.ipc`, 'fire_master', {
    id: 'web2', tag: null, pretag: null, data: null, events: [{ tag: 'from/python', data: { float: 1.0, text: 'ä' } }],
  }); // prettier-ignore
  await take(first, 1); // it has a longer way than the next one
  await saltFire(join(world.folder('run'), 'master_event_pull.ipc'), 'on/the/master', {
    n: 70_000,
    _stamp: '2026-11-20T10:00:00.000001',
  });
  const heard = await listener.events;
  const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\d{6}$/) as unknown;
  expect(heard).toEqual([
    { tag: 'from/python', data: { float: 1, text: 'ä', _stamp: stamp } },
    { tag: 'on/the/master', data: { n: 70_000, _stamp: stamp } },
  ]);
  expect(await local.events).toMatchObject([{ tag: 'fire_master', data: { events: [{ tag: 'from/python' }] } }]);
});
