/** Whoever knows a roles document is told the time under those that continue it, and under no others. */
import { Clock, MemoryBroker } from '@natrium/bus';
import {
  clusterOf,
  decode,
  encode,
  identityFrom,
  newIdentitySecret,
  type Signed,
  SigningKey,
  signRoles,
  signTime,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import { contracts, readAs, subjectsOf, writeAs } from '@natrium/wire';
import { connectIdentity } from './connect.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

/** A cluster whose root has been replaced, and an acl-service that says what a test has it say. */
function aCluster() {
  const [first, second, acl] = [SigningKey.generate(), SigningKey.generate(), SigningKey.generate()];
  const cluster = clusterOf(first.publicKey);
  const roles = { gateway: [], acl: [acl.publicKey], runner: [], reactor: [], sink: [] };
  const signed = (root: SigningKey, serial: number, nextRoot: Uint8Array | null = null) =>
    signRoles(root, cluster, { serial, notAfter: NOW + 10 * AN_HOUR, roles, nextRoot });
  const handed = [signed(first, 1), signed(first, 2, second.publicKey)];
  const says: { chain: Signed[]; timeMs: number } = { chain: handed, timeMs: NOW };
  const broker = new MemoryBroker();
  const transport = broker.connect();
  transport.subscribe(subjectsOf('main').hello, ({ payload, respond }) => {
    const { nonce } = readAs(contracts.helloQuestion, decode(payload));
    const time = signTime(acl, cluster, nonce, says.timeMs);
    const said = { version: 1 as const, firstRoot: first.publicKey, chain: says.chain, services: [], time };
    respond(encode(writeAs(contracts.helloAnswer, said) as Wire));
  });
  return { broker, first, second, signed, handed, says };
}

function connect({ broker, first }: ReturnType<typeof aCluster>, clock: Clock, newest?: Signed) {
  return connectIdentity({
    transport: broker.connect(),
    cluster: 'main',
    identity: identityFrom(newIdentitySecret()),
    use: 'session',
    pin: { firstRoot: first.publicKey },
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
  const { first, second, signed, handed, says } = world;
  const clock = new Clock(30_000, () => NOW);
  const linked = await connect(world, clock);
  if (!linked.ok) throw new Error(linked.error.sentence);
  const { greet, roles, bus } = linked.value;
  says.timeMs = NOW + AN_HOUR;
  says.chain = [...handed.slice(0, 1), signed(first, 9)];
  expect(await greet()).toMatchObject({ code: 'roles_invalid' });
  expect([clock.offsetMs, roles.document.serial]).toEqual([0, 2]);
  says.chain = [...handed, signed(second, 9)];
  expect(await greet()).toBeUndefined();
  expect([clock.offsetMs, roles.document.serial]).toEqual([AN_HOUR, 9]);
  await bus.close();
});

it('whoever has seen a document comes in under a chain that holds it, and under no branch', async () => {
  const world = aCluster();
  const { first, signed, handed, says } = world;
  const clock = new Clock(30_000, () => NOW);
  says.timeMs = NOW + AN_HOUR;
  says.chain = [...handed.slice(0, 1), signed(first, 9)];
  expect(await connect(world, clock, handed[1])).toMatchObject({ ok: false, error: { code: 'roles_invalid' } });
  expect(clock.offsetMs).toBe(0);
  says.chain = handed;
  const linked = await connect(world, clock, handed[1]);
  expect(linked.ok && clock.offsetMs).toBe(AN_HOUR);
  if (linked.ok) await linked.value.bus.close();
});
