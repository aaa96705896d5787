/** One cluster on a broker in memory, each of whose parties is a bus; for the specs of sealed conversations. */
import {
  clusterOf,
  type Identity,
  identityFrom,
  type KnownParty,
  newIdentitySecret,
  type RolesDocument,
  SigningKey,
  sodiumReady,
} from '@natrium/envelope';
import { type Body, contracts } from '@natrium/wire';
import { Clock } from '../parties/clock.js';
import { Directory } from '../parties/directory.js';
import { OwnParty } from '../parties/own-party.js';
import { Roles } from '../parties/roles.js';
import { MemoryBroker } from '../ports/memory-transport.js';
import type { Incoming, Transport } from '../ports/transport.js';
import type { Opened } from '../sealing/opened.js';
import { Sealer } from '../sealing/sealer.js';
import { SealedBus } from './sealed-bus.js';
import { NO_TRACING, type Tracing } from './tracing.js';

export const NOW = 1_795_000_000_000;
export const LIFETIMES = { epochMs: 3_600_000, overlapMs: 60_000, announcementMs: 900_000 };
export const PATIENCE = 3000;
export const JID = '20261120141646000001';
/** What no broker may see. */
export const EVENT = { first: 1, dropped: 0, events: [{ tag: 'checks/disk', data: 'canary', load: null, stamp: 0 }] };

export type Role = 'gateway' | 'acl' | 'runner';

/** A world of its own for each spec of a file, whose buses end with it. */
export function useWorld(): () => World {
  let world: World;
  beforeAll(sodiumReady);
  beforeEach(() => {
    world = new World();
  });
  afterEach(async () => {
    for (const { bus } of world.parties) await bus.close();
  });
  return () => world;
}

/** One cluster on one broker; each of its parties is a bus. */
export class World {
  readonly broker = new MemoryBroker();
  readonly root = SigningKey.generate();
  readonly keys = { gateway: SigningKey.generate(), acl: SigningKey.generate(), runner: SigningKey.generate() };
  readonly cluster = clusterOf(this.root.publicKey);
  readonly parties: Party[] = [];
  nowMs = NOW;
  /** How many strangers each party remembers. */
  strangers = 20_000;
  /** When the roles document ends that the parties begin with. */
  rolesEndMs = NOW + 1e9;

  service(role: Role, instance: string, tracing?: Tracing): Party {
    const signing = this.keys[role];
    const owner = { type: 'role', role, instance, key: signing.publicKey } as const;
    return new Party(this, new OwnParty({ ...this.#options(signing), owner, use: 'service' }, LIFETIMES), tracing);
  }

  minion(identity: Identity = identityFrom(newIdentitySecret()), tracing?: Tracing): Party {
    const owner = { type: 'identity', key: identity.publicKey } as const;
    return new Party(
      this,
      new OwnParty({ ...this.#options(identity.signing), owner, use: 'jobs' }, LIFETIMES),
      tracing,
    );
  }

  roles(): Roles {
    const of = (role: Role) => [this.keys[role].publicKey];
    const roles = { gateway: of('gateway'), acl: of('acl'), runner: of('runner'), reactor: [], sink: [] };
    const document: RolesDocument = { serial: 1, notAfter: this.rolesEndMs, roles, nextRoot: null };
    return new Roles(this.cluster, document, [this.root.publicKey, []]);
  }

  #options(signing: SigningKey) {
    return { signing, cluster: this.cluster, rolesSerial: 1 };
  }
}

export class Party {
  readonly failures: string[] = [];
  /** Of them those that their sender does not mend. */
  readonly faults: string[] = [];
  readonly sent: { readonly subject: string; readonly payload: Uint8Array }[] = [];
  readonly transport: Transport;
  readonly directory: Directory;
  readonly bus: SealedBus;

  constructor(
    readonly world: World,
    readonly own: OwnParty,
    tracing: Tracing = NO_TRACING,
  ) {
    const real = world.broker.connect();
    const publish = (subject: string, payload: Uint8Array, reply?: string) => {
      this.sent.push({ subject, payload });
      real.publish(subject, payload, reply);
    };
    this.transport = { ...real, publish };
    const clock = new Clock(30_000, () => world.nowMs);
    this.directory = new Directory(() => clock.now());
    own.rotate(clock.now());
    const sealer = new Sealer(own, this.directory, world.roles(), clock, world.strangers);
    this.bus = new SealedBus(
      this.transport,
      sealer,
      (reason, _subject, isMended) => this.#fails(reason, isMended),
      tracing,
    );
    world.parties.push(this);
  }

  #fails(reason: string, isMended: boolean | undefined): void {
    this.failures.push(reason);
    if (isMended !== true) this.faults.push(reason);
  }

  /** As anybody reads its announcement. */
  get known(): KnownParty {
    const read = this.world.roles().read(this.own.announced, this.world.nowMs, 30_000);
    if (!read.ok) throw new Error(read.error);
    return read.value;
  }

  knows(...others: readonly Party[]): this {
    for (const { known } of others) this.directory.learn(known);
    return this;
  }

  /** Asks whether an event is stored, on the own subject unless a test says otherwise. */
  tell(to: () => readonly KnownParty[], subject = `nt.main.up.${this.own.fp}.event`) {
    return this.bus.ask({ contract: contracts.events, body: EVENT, subject, to }, contracts.eventsStored, PATIENCE);
  }

  /** Waits for the receipt of a return. */
  return(to: () => readonly KnownParty[]) {
    const outcome = { ret: 'canary', retcode: 0, success: true, out: null };
    const body = { jid: JID, digest: new Uint8Array(32), status: 'done' as const, code: null, outcome };
    const subject = `nt.main.up.${this.own.fp}.return`;
    return this.bus.deliver({ contract: contracts.returned, body, subject, to }, PATIENCE);
  }

  /** Answers every event. */
  takeEvents(queue?: string): Opened[] {
    const opened: Opened[] = [];
    this.bus.serve('nt.main.up.*.event', queue, [contracts.events], (message) => {
      opened.push(message);
      message.answer(contracts.eventsStored, { through: (message.body as Body<typeof contracts.events>).first });
    });
    return opened;
  }
}

/** Minions that answer a presence question, and a gateway that knows them. */
export function aFleet(world: World, count: number) {
  const minions = Array.from({ length: count }, () => world.minion());
  const gateway = world.service('gateway', 'gw1').knows(...minions);
  const heard: Opened[][] = minions.map(() => []);
  for (const [index, minion] of minions.entries()) {
    minion.bus.serve(`nt.main.job.${minion.own.fp}`, undefined, [contracts.presence], (opened) =>
      heard[index]?.push(opened),
    );
  }
  const targets = minions.map(({ known, own }, index) => ({
    party: known,
    subject: `nt.main.job.${own.fp}`,
    private: [index],
  }));
  return { minions, gateway, heard, targets };
}

export type Fleet = ReturnType<typeof aFleet>;

export const settle = async (turns = 20): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
};

/** Hears what travels, as a tap on the broker does. */
export function tap(world: World): Incoming[] {
  const seen: Incoming[] = [];
  world.broker.connect().subscribe('>', (message) => seen.push(message));
  return seen;
}
