/** A service learns the time under roles that continue those of its own folder, and waits for whoever has them. */
import { Clock, MemoryBroker, type NatsTransport, Roles } from '@natrium/bus';
import { decode, type Signed, sodiumReady } from '@natrium/envelope';
import { SucceededRoot } from '@natrium/testing';
import { contracts, readAs, subjectsOf } from '@natrium/wire';
import { pino } from 'pino';
import { learnTime } from './learn-time.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

it('moves no clock under a branch of a root that was replaced, and takes the next answer under its own chain', async () => {
  const root = new SucceededRoot(NOW + 10 * AN_HOUR);
  const handed = root.handed();
  const broker = new MemoryBroker();
  const transport = broker.connect();
  const answers: (readonly [Signed[], number])[] = [[root.branch(), NOW + AN_HOUR], [handed, NOW - AN_HOUR]]; // prettier-ignore
  const clock = new Clock(30_000, () => NOW);
  const offsets: number[] = [];
  transport.subscribe(subjectsOf('main').hello, ({ payload, respond }) => {
    offsets.push(clock.offsetMs);
    const [chain, timeMs] = answers.shift() ?? [[], 0];
    respond(root.answer(readAs(contracts.helloQuestion, decode(payload)).nonce, chain, timeMs));
    // An acl-service comes: nobody waits for longer.
    transport.publish(subjectsOf('main').dir('acl'), new Uint8Array());
  });
  const roles = new Roles(root.cluster, root.document(2, root.second.publicKey), [root.first.publicKey, handed]);
  const own = { ...broker.connect(), inbox: '_INBOX.service' } as unknown as NatsTransport;
  await learnTime({ transport: own, subjects: subjectsOf('main'), roles, clock, log: pino({ enabled: false }) });
  expect([...offsets, clock.offsetMs]).toEqual([0, 0, -AN_HOUR]);
});
