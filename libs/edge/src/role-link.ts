/**
 * A service comes onto the bus: its role key, the roles document, the broker, the time, its announcement; then it listens.
 *
 * It announces itself before it joins its queue group, so that nobody seals to a replica that cannot open.
 * Spec: spec/envelope.md#announcements.
 */
import { join } from 'node:path';
import {
  Clock,
  Directory,
  type Journal,
  type NatsTransport,
  openBucket,
  journalToRead,
  openJournal,
  type OnOpenFailure,
  OwnParty,
  type Roles,
  SealedBus,
  SealedJournal,
  Sealer,
  type Store,
  tellingUnopened,
  whenWriteRefused,
} from '@natrium/bus';
import { randomBytes, type RoleName, signedIn, type SigningKey, toHex } from '@natrium/envelope';
import { MasterKeys, type StorageClass, type StorageFolder } from '@natrium/keystore';
import { type Subjects, subjectsOf } from '@natrium/wire';
import { asRole, connectBroker } from './broker-login.js';
import { type Learner, learnTime, learnTimeAgain } from './learn-time.js';
import { OwnAnnouncement } from './own-announcement.js';
import { ASKED_AGAIN, type RoleOptions } from './role-options.js';
import { refuseEnded, refuseUnknownKey, rolesAtStart } from './roles-at-start.js';
import { RolesEnd } from './roles-end.js';
import { RolesFollowing } from './roles-following.js';
import { bucketOptions, type EventsKeeping, type Keeping, patienceOf } from './store-options.js';
import { WatchedKeys } from './watch-keys.js';

/** How often a service announces itself anew, and how long one announcement holds. */
const RENEW_MS = 5 * 60_000;
const ANNOUNCEMENT_MS = 15 * 60_000;

/** What a service knows before it is on the bus. */
interface Known {
  readonly keys: MasterKeys;
  readonly roles: Roles;
  readonly clock: Clock;
  readonly signing: SigningKey;
}

export class RoleLink {
  readonly #timers: NodeJS.Timeout[] = [];
  #rolesFollowing: RolesFollowing | undefined;
  readonly #watched: WatchedKeys;
  readonly #announcement: OwnAnnouncement;
  readonly #rolesEnd: RolesEnd;
  /** How far the time was ahead of the elapsed time when it was looked at last. */
  #aheadMs = -Infinity;

  readonly subjects: Subjects;

  private constructor(
    readonly options: RoleOptions,
    readonly transport: NatsTransport,
    readonly keys: MasterKeys,
    readonly bus: SealedBus,
    readonly announcements: Store,
  ) {
    this.subjects = subjectsOf(options.cluster);
    this.#watched = new WatchedKeys(keys, options.log);
    this.#rolesEnd = new RolesEnd(options.log);
    const { own } = bus.sealer;
    const place = { subject: this.subjects.dir(options.role), key: keyOf(options.role, own.instance) };
    const whenRefused = (tell: () => void) => {
      whenWriteRefused(transport, tell);
    };
    this.#announcement = new OwnAnnouncement({ transport, announcements, own, place, log: options.log, whenRefused });
  }

  /** @throws {Error} What failed first; the connection is closed. */
  static async open(options: RoleOptions): Promise<RoleLink> {
    const keys = new MasterKeys(options.pkiDir);
    const roles = rolesAtStart(keys, seenPath(options), options.log);
    const clock = new Clock(options.skewMs);
    if (options.role === 'acl') refuseEnded(roles, keys, clock.now());
    const signing = keys.roleKey(options.role);
    const checkKey = () => {
      refuseUnknownKey(options.role, signing.publicKey, roles, keys);
    };
    if (options.role === 'acl') checkKey();
    const transport = await connectBroker(options, asRole(options));
    try {
      if (options.role !== 'acl') {
        const subjects = subjectsOf(options.cluster);
        await learnTime({ transport, subjects, roles, clock, log: options.log });
        checkKey(); // by the newest document, which it may just have heard of
      }
      return await RoleLink.#onto(transport, options, { keys, roles, clock, signing });
    } catch (error) {
      await transport.drain();
      throw error;
    }
  }

  static async #onto(transport: NatsTransport, options: RoleOptions, known: Known): Promise<RoleLink> {
    const { keys, roles, clock, signing } = known;
    const instance = toHex(randomBytes(6));
    const own = new OwnParty(
      {
        owner: { type: 'role', role: options.role, instance, key: signing.publicKey },
        signing,
        cluster: roles.cluster,
        use: 'service',
        rolesSerial: roles.document.serial,
        inbox: options.brokerAuth === 'jwt' ? transport.inbox : undefined,
      },
      { epochMs: options.epochMs, overlapMs: options.overlapMs, announcementMs: ANNOUNCEMENT_MS },
    );
    own.rotate(clock.now());
    const tellUnopened = tellingUnopened(options.log);
    const onUnopened: OnOpenFailure = (reason, subject, isMended) => {
      tellUnopened(reason, subject, isMended);
      options.onUnopened?.(isMended === true ? ASKED_AGAIN : reason);
    };
    const tracing = await options.openTracing?.(instance);
    const directory = new Directory(() => clock.now());
    const bus = new SealedBus(transport, new Sealer(own, directory, roles, clock), onUnopened, tracing);
    const announcements = await openBucket(transport, bucketOptions(options, 'announcements'));
    const link = new RoleLink(options, transport, keys, bus, announcements);
    try {
      link.#followRoles();
      await link.#followAnnouncements();
    } catch (error) {
      link.#watched.close();
      throw error;
    }
    return link;
  }

  get clock(): Clock {
    return this.bus.sealer.clock;
  }

  get directory(): Directory {
    return this.bus.sealer.directory;
  }

  get roles(): Roles {
    return this.bus.sealer.roles;
  }

  get own(): OwnParty {
    return this.bus.sealer.own;
  }

  /** The storage keys that this service uses, by class. */
  get storageFolders(): ReadonlyMap<StorageClass, StorageFolder> {
    return this.#watched.folders;
  }

  /** A bucket whose values are sealed with the keys of a storage class. */
  async store(name: string, storageClass: StorageClass, keeping: Keeping = {}): Promise<Store> {
    const raw = await openBucket(this.transport, bucketOptions(this.options, name, keeping));
    return this.#watched.sealed(raw, storageClass);
  }

  /**
   * The journal of the events, sealed with the keys of its class.
   *
   * @param keep 'read': the gateways keep it.
   * @param ahead Batches that may wait here for a slow reader.
   */
  async events(keep: EventsKeeping | 'read', ahead?: number): Promise<Journal> {
    const { cluster, replicas, log } = this.options;
    const patience = patienceOf(this.options);
    const name = `NT_${cluster}_events`;
    const subjects = this.subjects.events('*');
    const raw =
      keep === 'read'
        ? journalToRead(this.transport, name, ahead)
        : await openJournal(this.transport, { name, subjects, replicas, ...keep, patience });
    return new SealedJournal(raw, this.#watched.storage('events'), (error) => {
      log.error({ err: error }, 'a stored batch of events was left out');
    });
  }

  /** Tells everyone that this replica is there, now and every five minutes. */
  async announce(): Promise<void> {
    this.#aheadMs = this.clock.aheadOfElapsed;
    await this.#announcement.begin();
    this.#rolesEnd.look(this.roles.document, this.clock.now());
    this.#rolesFollowing?.tell();
    const renew = () => void this.#renew();
    const rotate = () => {
      this.newEpoch();
    };
    this.#timers.push(setInterval(renew, RENEW_MS), setInterval(rotate, Math.min(this.options.epochMs, 0x7fffffff)));
    for (const timer of this.#timers) timer.unref();
  }

  /** An announcement says from when it counts: the clock comes first. */
  async #renew(): Promise<void> {
    const { roles, clock, options } = this;
    if (options.role !== 'acl') await learnTimeAgain(this.#learner());
    this.#rolesEnd.look(roles.document, clock.now());
    if (!this.#announcement.isThere) return; // it has left meanwhile
    if (this.#wentBack()) this.own.startAnew(clock.now());
    else this.own.announce(clock.now());
    this.#announcement.renew();
    this.#rolesFollowing?.tell(); // for whoever missed it
  }

  /** What was sealed in a time that is still to come would then be fresh once more, and no longer known as read: no key may open it. */
  #wentBack(): boolean {
    const { clock, options } = this;
    const before = this.#aheadMs;
    this.#aheadMs = clock.aheadOfElapsed;
    const isBack = before - this.#aheadMs > clock.skewMs;
    if (isBack) options.log.warn('the time went back: a new epoch, and nothing opens that was sealed before');
    return isBack;
  }

  /** A new epoch now, and a new look at the time; the key before still opens until its overlap has ended. */
  newEpoch(): void {
    this.own.rotate(this.clock.now());
    this.options.log.info('a new epoch');
    if (this.#announcement.isThere) this.#announcement.renew();
    if (this.options.role !== 'acl') void learnTimeAgain(this.#learner());
  }

  #learner(): Learner {
    const { transport, subjects, roles, clock, options } = this;
    return { transport, subjects, roles, clock, log: options.log };
  }

  #followRoles(): void {
    const { options, roles, keys, transport, subjects } = this;
    const { role, log } = options;
    const now = () => this.clock.now();
    const following = new RolesFollowing({
      role,
      roles,
      keys,
      seenPath: seenPath(options),
      transport,
      subjects,
      now,
      log,
    });
    this.#rolesFollowing = following;
    roles.onNewer(() => {
      this.newEpoch();
      this.#watched.readMissed();
    });
    this.#watched.watch(keys.folder, () => {
      following.readFolder();
    });
  }

  /** Says good-bye, finishes what has arrived, and closes the connection. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#watched.close();
    await this.#announcement.end();
    await this.transport.drain();
    await this.bus.close();
  }

  async #followAnnouncements(): Promise<void> {
    await this.announcements.follow(({ key, value }) => {
      if (value === undefined) this.#forget(key);
      else this.#learn(value);
    });
  }

  #learn(value: Uint8Array): void {
    const announced = signedIn(value);
    if (announced === undefined) return;
    const party = this.bus.sealer.read(announced);
    if (party.ok) this.directory.learn(party.value);
  }

  #forget(key: string): void {
    const gone = this.directory
      .services()
      .find(({ owner }) => owner.type === 'role' && keyOf(owner.role, owner.instance) === key);
    if (gone !== undefined) this.directory.forget(gone);
  }
}

function keyOf(role: RoleName, instance: string): string {
  return `s.${role}.${instance}`;
}

function seenPath({ cacheDir, role }: RoleOptions): string {
  return join(cacheDir, `roles-${role}`);
}
