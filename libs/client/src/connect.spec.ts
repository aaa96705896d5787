/** Whoever knows a roles document is told the time under those that continue it, and under no others. */
import { Clock, MemoryBroker } from '@natrium/bus';
import { decode, identityFrom, newIdentitySecret, type Signed, sodiumReady } from '@natrium/envelope';
import { SucceededRoot } from '@natrium/testing';
import { contracts, readAs, subjectsOf } from '@natrium/wire';
import { connectIdentity } from './connect.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

/** A cluster whose root has been replaced, and an acl-service that says what a test has it say. */
function aCluster() {
  const root = new SucceededRoot(NOW + 10 * AN_HOUR);
  const says: { chain: Signed[]; timeMs: number } = { chain: root.handed(), timeMs: NOW };
  const broker = new MemoryBroker();
  broker.connect().subscribe(subjectsOf('main').hello, ({ payload, respond }) => {
    respond(root.answer(readAs(contracts.helloQuestion, decode(payload)).nonce, says.chain, says.timeMs));
  });
  return { broker, root, says };
}

function connect({ broker, root }: ReturnType<typeof aCluster>, clock: Clock, newest?: Signed) {
  return connectIdentity({
    transport: broker.connect(),
    cluster: 'main',
    identity: identityFrom(newIdentitySecret()),
    use: 'session',
    pin: { firstRoot: root.first.publicKey },
    minSerial: 2,
    newest,
    clock,
    epochMs: AN_HOUR,
    overlapMs: 0,
    helloTimeoutMs: 300,
  });
}

it('hello that is said again moves no clock under a branch of a root that was replaced; under its successor it does', async () => {
  const world = aCluster();
  const { root, says } = world;
  const clock = new Clock(30_000, () => NOW);
  const linked = await connect(world, clock);
  if (!linked.ok) throw new Error(linked.error.sentence);
  const { greet, roles, bus } = linked.value;
  says.timeMs = NOW + AN_HOUR;
  says.chain = root.branch();
  expect(await greet()).toMatchObject({ code: 'roles_invalid' });
  expect([clock.offsetMs, roles.document.serial]).toEqual([0, 2]);
  says.chain = [...root.handed(), root.signed(root.second, 9)];
  expect(await greet()).toBeUndefined();
  expect([clock.offsetMs, roles.document.serial]).toEqual([AN_HOUR, 9]);
  await bus.close();
});

it('whoever has seen a document comes in under a chain that holds it, and under no branch', async () => {
  const world = aCluster();
  const { root, says } = world;
  const handed = root.handed();
  const clock = new Clock(30_000, () => NOW);
  says.timeMs = NOW + AN_HOUR;
  says.chain = root.branch();
  expect(await connect(world, clock, handed[1])).toMatchObject({ ok: false, error: { code: 'roles_invalid' } });
  expect(clock.offsetMs).toBe(0);
  says.chain = handed;
  const linked = await connect(world, clock, handed[1]);
  expect(linked.ok && clock.offsetMs).toBe(AN_HOUR);
  if (linked.ok) await linked.value.bus.close();
});
