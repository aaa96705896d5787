/**
 * Promise 4: a valid envelope is refused on every other subject, of every other kind, from every other sender, and by every
 * other recipient than the one that the tables of `libs/wire` name. What the tables name comes through to its schema, which
 * the empty body of these messages does not fit: so the twin differs in nothing but its place, and still runs nothing.
 */
import type { OwnParty } from '@natrium/bus';
import { equalBytes, type KnownParty, type RoleName, toHex } from '@natrium/envelope';
import { type Contract, contracts, type Route, routes } from '@natrium/wire';
import type { LogLines } from '@natrium/testing';
import { World } from '../hostile/world.js';

interface Sender {
  readonly name: string;
  readonly role: string;
  readonly own: OwnParty;
}

interface Tried {
  readonly kind: string;
  readonly sender: Sender;
}

const ROLES: readonly RoleName[] = ['gateway', 'acl', 'runner', 'reactor', 'sink'];
const KINDS: readonly Contract[] = contracts.contracts;
const ALL_ROUTES = Object.entries(routes) as readonly (readonly [string, Route])[];

let world: World;
let senders: readonly Sender[];

beforeAll(async () => {
  world = await World.start();
  const account = await world.cluster.session(world.cluster.account);
  senders = [
    { name: 'web1', role: 'identity', own: world.web1.link.own },
    { name: 'web2', role: 'identity', own: world.web2.link.own },
    { name: 'the account', role: 'identity', own: account.own },
    ...ROLES.map((role) => ({ name: role, role, own: world.gateway.party(role) })),
  ];
});
afterAll(() => world.stop());

/** The route's subject as `owner` would use it. */
function subjectAt({ at }: Route, owner: OwnParty): string {
  return `nt.main.${at.replace('*', owner.fp).replace('{instance}', world.gateway.link.own.instance)}`;
}

/** Nobody seals to himself: that is promise 5. */
function tries(to: KnownParty): readonly Tried[] {
  const others = senders.filter(({ own }) => !equalBytes(own.owner.key, to.owner.key) || own.owner.type === 'role');
  return KINDS.flatMap(({ kind }) => others.map((sender) => ({ kind, sender })));
}

/** Whole and well made, but for a body that fits no kind. */
function sealedAll(to: KnownParty, re?: Uint8Array): readonly Uint8Array[] {
  return tries(to).map(({ kind, sender }) => {
    const forging = { as: sender.own, kind, wire: 'nothing', ...(re && { re }) };
    return world.gateway.seal(contracts.refresh, { what: 'standing' }, to, forging);
  });
}

/** The same bytes for each subject: nothing of what is turned away is remembered. */
const toServices = new Map<string, readonly Uint8Array[]>();
function sealedOnce(to: KnownParty): readonly Uint8Array[] {
  const known = toServices.get(toHex(to.keyId)) ?? sealedAll(to);
  toServices.set(toHex(to.keyId), known);
  return known;
}

/** What the tables say: this kind, from this role, and from an identity on its own subject only. */
function comesThrough({ kind, sender }: Tried, accepted: readonly Contract[], owner?: OwnParty): boolean {
  const contract = accepted.find((one) => one.kind === kind);
  if (contract?.from.some((role) => role === sender.role) !== true) return false;
  return sender.role !== 'identity' || owner === undefined || owner === sender.own;
}

function nameOf({ kind, sender }: Tried, reason: string): string {
  return `${kind} from ${sender.name}: ${reason}`;
}

/** Sends each over the broker and tells why the real process turned it away; the outward answer is the same for all. */
async function turnedAway(subject: string, to: KnownParty, log: LogLines): Promise<readonly string[]> {
  const { transport } = world.gateway.link;
  const before = log.all.length;
  const answers: number[] = [];
  const all = sealedOnce(to);
  await new Promise<void>((resolve) => {
    const listening = transport.subscribe('_INBOX_PAIRS.1', ({ payload }) => {
      if (answers.push(payload.length) < all.length) return;
      void listening.close();
      resolve();
    });
    for (const bytes of all) transport.publish(subject, bytes, '_INBOX_PAIRS.1');
  });
  expect(new Set(answers)).toEqual(new Set([0]));
  const reasons = log.all.slice(before).flatMap((line) => (line.subject === subject ? [line.reason ?? ''] : []));
  return tries(to).map((tried, index) => nameOf(tried, reasons[index] ?? 'nothing was said'));
}

function expected(to: KnownParty, accepted: readonly Contract[], owner?: OwnParty): readonly string[] {
  return tries(to).map((tried) => nameOf(tried, comesThrough(tried, accepted, owner) ? 'schema' : 'kind'));
}

function aclParty(): KnownParty {
  const [acl] = world.gateway.link.directory.role('acl');
  if (acl === undefined) throw new Error('no acl-service is known');
  return acl;
}

const ACL_ROUTES = ALL_ROUTES.filter(([, { at }]) => /(^|\.)acl\.|^join$/.test(at));
const OTHER_ROUTES = ALL_ROUTES.filter((route) => !ACL_ROUTES.includes(route));

describe('promise 4: a valid envelope', () => {
  it.each(ACL_ROUTES)('at the acl-service’s %s is opened of its kind and its senders only', async (_, route) => {
    const owner = world.web1.link.own;
    const named = route.at.includes('*') ? owner : undefined;
    const heard = await turnedAway(subjectAt(route, owner), aclParty(), world.cluster.aclLog);
    expect(heard).toEqual(expected(aclParty(), [route.question], named));
  });

  it('on a minion’s subject is opened of the gateway’s three kinds only', async () => {
    const { web1 } = world;
    const heard = await turnedAway(world.gateway.link.subjects.job(web1.fp), web1.party, web1.log);
    const accepted = [contracts.job, contracts.presence, contracts.refresh];
    expect(heard).toEqual(expected(web1.party, accepted, web1.link.own));
  });

  it.each(OTHER_ROUTES)('at %s is opened of its kind and its senders only', (_, route) => {
    const owner = world.web1.link.own;
    const { bus, own, clock } = world.gateway.link;
    const me = world.gateway.link.roles.read(own.announced, clock.now(), clock.skewMs);
    if (!me.ok) throw new Error(me.error);
    const opening = {
      subject: subjectAt(route, owner),
      contracts: new Map([[route.question.kind, route.question]]),
      expects: (re: Uint8Array | null) => re === null,
    };
    const bytes = sealedOnce(me.value);
    const heard = tries(me.value).map((tried, index) => {
      const opened = bus.sealer.open(bytes[index] ?? new Uint8Array(), opening);
      return nameOf(tried, opened.ok ? 'opened' : opened.error);
    });
    expect(heard).toEqual(expected(me.value, [route.question], route.at.includes('*') ? owner : undefined));
  });

  it('as an answer is taken of the kind and the role that was asked only', async () => {
    const news: unknown[] = [];
    const { heard, stop } = await world.asking(world.marking(world.mark()), world.web1, (item) => news.push(item));
    const { opened } = heard;
    const { transport } = world.gateway.link;
    const before = world.web1.log.all.length;
    for (const bytes of sealedAll(opened.party, opened.messageId)) transport.publish(opened.reply ?? '', bytes);
    await transport.flush();
    await world.gateway.settled(world.web1.link);
    const reasons = world.web1.log.all.slice(before).flatMap(({ reason }) => reason ?? []);
    const through = (tried: Tried) => tried.kind === 'news' && tried.sender.role === 'gateway';
    expect(tries(opened.party).map((tried, index) => nameOf(tried, reasons[index] ?? ''))).toEqual(
      tries(opened.party).map((tried) => nameOf(tried, through(tried) ? 'schema' : 'kind')),
    );
    expect(news).toEqual([]);
    stop();
  });

  it('to one recipient is opened by no other, on none of their subjects', () => {
    const minions = [world.web1, world.web2, world.db1];
    const contractsHere = new Map([[contracts.refresh.kind, contracts.refresh]]);
    for (const to of minions)
      for (const reader of minions)
        for (const { fp } of minions) {
          const bytes = world.gateway.seal(contracts.refresh, { what: 'standing' }, to.party);
          const subject = world.gateway.link.subjects.job(fp);
          const opened = reader.link.bus.sealer.open(bytes, {
            subject,
            contracts: contractsHere,
            expects: (re: Uint8Array | null) => re === null,
          });
          expect(opened.ok ? 'opened' : opened.error).toBe(to === reader ? 'opened' : 'stale_key');
        }
  });
});
