/** Rules of reading along: what one of a role is asked, every other of that role may read, and nobody is answered for it. */
import { contracts } from '@natrium/wire';
import { type Party, PATIENCE, settle, useWorld } from './world.spec-support.js';

const world = useWorld();

const all = () => true;
const EVENTS = 'nt.main.up.*.event';

function twoGateways() {
  const taker = world().service('gateway', 'gw1');
  const other = world().service('gateway', 'gw2');
  const minion = world().minion().knows(taker, other);
  const taken = taker.takeEvents('gateway');
  const read: string[] = [];
  const heard = other.bus.overhear(EVENTS, contracts.events, all, ({ body, party }) => {
    read.push(`${String(body.first)} ${party.owner.type}`);
  });
  return { taker, other, minion, taken, read, heard, to: () => [taker.known, other.known] };
}

const answersOf = ({ sent }: Party) => sent.filter(({ subject }) => subject.startsWith('_INBOX'));

it('is read by a gateway that does not handle it, and answered by the one that does only', async () => {
  const { other, minion, taken, read, to } = twoGateways();
  expect(await minion.tell(to)).toMatchObject({ ok: true });
  expect([taken.length, read]).toEqual([1, ['1 identity']]);
  expect(answersOf(other)).toEqual([]);
});

it('a gateway that reads along and handles it opens it both times', async () => {
  const gateway = world().service('gateway', 'gw1');
  const minion = world().minion().knows(gateway);
  const read: unknown[] = [];
  gateway.bus.overhear(EVENTS, contracts.events, all, ({ body }) => read.push(body));
  const taken = gateway.takeEvents('gateway');
  expect(await minion.tell(() => [gateway.known])).toMatchObject({ ok: true });
  expect([taken.length, read.length]).toEqual([1, 1]);
  expect(gateway.failures).toEqual([]);
});

it.each([
  ['on the subject of another minion', (minion: Party, to: Party) =>
    minion.tell(() => [to.known], `nt.main.up.${world().minion().own.fp}.event`)],
  ['from a role that does not send it', (_: Party, to: Party) => world().service('runner', 'r1').tell(() => [to.known])],
  ['of another kind', (minion: Party, to: Party) => {
    const question = { contract: contracts.here, body: { running: [] }, to: () => [to.known] };
    return minion.bus.ask({ ...question, subject: `nt.main.up.${minion.own.fp}.event` }, contracts.eventsStored, PATIENCE);
  }],
  ['that is sealed to others', (minion: Party) => minion.tell(() => [world().service('gateway', 'gw3').known])],
] as const)('what comes %s is not read, and not answered', async (_, send) => {
  const gateway = world().service('gateway', 'gw1');
  const minion = world().minion().knows(gateway);
  const read: unknown[] = [];
  gateway.bus.overhear(EVENTS, contracts.events, all, ({ body }) => read.push(body));
  void send(minion, gateway);
  await settle();
  expect([read, answersOf(gateway)]).toEqual([[], []]);
}); // prettier-ignore

it('nothing is read after it was closed', async () => {
  const { minion, read, heard, to } = twoGateways();
  await heard.close();
  expect(await minion.tell(to)).toMatchObject({ ok: true });
  expect(read).toEqual([]);
});

it('what its reader does not want is not even opened', async () => {
  const gateway = world().service('gateway', 'gw1');
  const minion = world().minion().knows(gateway);
  const [asked, read]: [unknown[], unknown[]] = [[], []];
  const wants = (fp: string | undefined) => {
    asked.push(fp);
    return false;
  };
  gateway.bus.overhear(EVENTS, contracts.events, wants, ({ body }) => read.push(body));
  void minion.tell(() => [gateway.known]);
  await settle();
  expect([asked, read]).toEqual([[minion.own.fp], []]);
});
