/** A service learns the time under roles that continue those of its own folder, and waits for whoever has them. */
import { Clock, MemoryBroker, type NatsTransport, Roles } from '@natrium/bus';
import {
  clusterOf,
  decode,
  encode,
  type Signed,
  SigningKey,
  signRoles,
  signTime,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import { contracts, readAs, subjectsOf, writeAs } from '@natrium/wire';
import { pino } from 'pino';
import { learnTime } from './learn-time.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

it('moves no clock under a branch of a root that was replaced, and takes the next answer under its own chain', async () => {
  const [first, second, acl] = [SigningKey.generate(), SigningKey.generate(), SigningKey.generate()];
  const cluster = clusterOf(first.publicKey);
  const document = (serial: number, nextRoot: Uint8Array | null = null) => {
    const roles = { gateway: [], acl: [acl.publicKey], runner: [], reactor: [], sink: [] };
    return { serial, notAfter: NOW + 10 * AN_HOUR, roles, nextRoot };
  };
  const handed = [signRoles(first, cluster, document(1)), signRoles(first, cluster, document(2, second.publicKey))];
  const branch = [...handed.slice(0, 1), signRoles(first, cluster, document(9))];
  const broker = new MemoryBroker();
  const transport = broker.connect();
  const answers: (readonly [Signed[], number])[] = [[branch, NOW + AN_HOUR], [handed, NOW - AN_HOUR]]; // prettier-ignore
  const clock = new Clock(30_000, () => NOW);
  const offsets: number[] = [];
  transport.subscribe(subjectsOf('main').hello, ({ payload, respond }) => {
    offsets.push(clock.offsetMs);
    const [chain, timeMs] = answers.shift() ?? [[], 0];
    const time = signTime(acl, cluster, readAs(contracts.helloQuestion, decode(payload)).nonce, timeMs);
    const said = { version: 1 as const, firstRoot: first.publicKey, chain, services: [], time };
    respond(encode(writeAs(contracts.helloAnswer, said) as Wire));
    // An acl-service comes: nobody waits for longer.
    transport.publish(subjectsOf('main').dir('acl'), new Uint8Array());
  });
  const roles = new Roles(cluster, document(2, second.publicKey), [first.publicKey, handed]);
  const own = { ...broker.connect(), inbox: '_INBOX.service' } as unknown as NatsTransport;
  await learnTime(own, subjectsOf('main'), roles, clock, pino({ enabled: false }));
  expect([...offsets, clock.offsetMs]).toEqual([0, 0, -AN_HOUR]);
});
