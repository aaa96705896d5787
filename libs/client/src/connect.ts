/**
 * A minion or an account comes onto the bus: the broker, hello, an announcement of its own, and ears for the services.
 *
 * Spec: spec/envelope.md#roles, #announcements.
 */
import {
  type Clock,
  Directory,
  hello,
  type HelloPin,
  type HelloProblem,
  type OnOpenFailure,
  OwnParty,
  readChain,
  ROLES_DOCUMENTS,
  type Roles,
  SealedBus,
  Sealer,
  type Tracing,
  type Transport,
} from '@natrium/bus';
import { fp, type Identity, type KnownParty, type Signed, signedIn } from '@natrium/envelope';
import { ok, type Result } from '@natrium/model';
import { inboxOf, joinInboxOf, knockInboxOf, type Subjects, subjectsOf } from '@natrium/wire';

export interface ConnectOptions {
  readonly transport: Transport;
  readonly cluster: string;
  readonly identity: Identity;
  readonly use: 'jobs' | 'session';
  readonly pin: HelloPin;
  readonly minSerial: number;
  /** The newest roles document that is known beforehand. */
  readonly newest?: Signed | undefined;
  readonly clock: Clock;
  readonly epochMs: number;
  readonly overlapMs: number;
  readonly helloTimeoutMs: number;
  /** As one who is not let in yet: heard only below the inbox of those who join, or who ask for a guest's user. */
  readonly entering?: 'join' | 'knock' | undefined;
  readonly onOpenFailure?: OnOpenFailure;
  readonly tracing?: Tracing | undefined;
}

/** A party that is on the bus. */
export interface Link {
  readonly transport: Transport;
  readonly subjects: Subjects;
  readonly bus: SealedBus;
  readonly own: OwnParty;
  readonly roles: Roles;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly identity: Identity;
  readonly services: (role: 'gateway' | 'acl') => readonly KnownParty[];
  /** Says hello again: takes over the time, newer roles, and the services of now. @returns What was wrong, if anything. */
  greet(): Promise<HelloProblem | undefined>;
}

/** What a process has learned and checked of a cluster; parties that share one process may share it. */
export interface Known {
  readonly roles: Roles;
  readonly directory: Directory;
}

const SESSION_MS = 24 * 3_600_000;
const INBOXES = { in: inboxOf, join: joinInboxOf, knock: knockInboxOf } as const;

export async function connectIdentity(options: ConnectOptions): Promise<Result<Link, HelloProblem>> {
  const { transport, clock } = options;
  const subjects = subjectsOf(options.cluster);
  const directory = new Directory(() => clock.now());
  const greeted = await hello(transport, subjects, options.pin, clock, {
    minSerial: options.minSerial,
    newest: options.newest,
    timeoutMs: options.helloTimeoutMs,
    inbox: inboxFor(options),
  });
  if (!greeted.ok) return greeted;
  const { roles, services } = greeted.value;
  for (const service of services) directory.learn(service);
  const link = linkWith(options, { roles, directory });
  // Nobody announces itself to those who are not let in: they know whom hello named.
  if (options.entering === undefined) listenForServices(transport, subjects, roles, clock, directory);
  return ok(link);
}

function inboxFor({ identity, entering }: Pick<ConnectOptions, 'identity' | 'entering'>): string {
  return INBOXES[entering ?? 'in'](fp(identity.publicKey));
}

/** A party on the bus with what its process knows already: it says no hello, and does not listen for services itself. */
export function linkWith(options: ConnectOptions, { roles, directory }: Known): Link {
  const { transport, clock, identity } = options;
  const subjects = subjectsOf(options.cluster);
  const inbox = inboxFor(options);
  const own = new OwnParty(
    {
      owner: { type: 'identity', key: identity.publicKey },
      signing: identity.signing,
      cluster: roles.cluster,
      use: options.use,
      rolesSerial: roles.document.serial,
      inbox,
    },
    { epochMs: options.epochMs, overlapMs: options.overlapMs, announcementMs: SESSION_MS },
  );
  own.rotate(clock.now());
  const sealer = new Sealer(own, directory, roles, clock);
  const bus = new SealedBus(transport, sealer, options.onOpenFailure, options.tracing);
  return {
    transport,
    subjects,
    bus,
    own,
    roles,
    clock,
    directory,
    identity,
    services: (role) => directory.role(role),
    greet: () =>
      greetAgain({ transport, subjects, roles, clock, directory }, { timeoutMs: options.helloTimeoutMs, inbox }),
  };
}

async function greetAgain(
  {
    transport,
    subjects,
    roles,
    clock,
    directory,
  }: Pick<Link, 'transport' | 'subjects' | 'roles' | 'clock' | 'directory'>,
  limits: { readonly timeoutMs: number; readonly inbox: string },
): Promise<HelloProblem | undefined> {
  const pin = { firstRoot: roles.chain[0] };
  const known = { minSerial: roles.document.serial, newest: roles.newest };
  const greeted = await hello(transport, subjects, pin, clock, { ...known, ...limits });
  if (!greeted.ok) return greeted.error;
  roles.takeOver(greeted.value.roles.chain, clock.now());
  for (const service of greeted.value.services) if (roles.names(service.owner)) directory.learn(service);
  return undefined;
}

function listenForServices(
  transport: Transport,
  subjects: Subjects,
  roles: Roles,
  clock: Clock,
  directory: Directory,
): void {
  transport.subscribe(subjects.dir(ROLES_DOCUMENTS), ({ payload }) => {
    const chain = readChain(payload);
    if (chain !== undefined) roles.takeOver(chain, clock.now());
  });
  transport.subscribe(subjects.dir('*'), ({ payload }) => {
    const announced = signedIn(payload);
    if (announced === undefined) return;
    const party = roles.read(announced, clock.now(), clock.skewMs);
    if (party.ok && party.value.use === 'service') directory.learn(party.value);
  });
}
