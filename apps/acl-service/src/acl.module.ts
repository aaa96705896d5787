/** The acl-service's whole wiring: what is opened, and which door gets what of it. */
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Store } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import type { RoleLink, ServiceConfig, ServiceMetrics } from '@natrium/edge';
import { equalBytes, everyKeyOf } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { Logger } from 'pino';
import { FileAdmission } from './keys/admission.js';
import { AuditArchive } from './audit/audit-archive.js';
import { AuditHeads } from './audit/audit-heads.js';
import { AuditIndex } from './audit/audit-index.js';
import { AuditLog } from './audit/audit-log.js';
import { auditHandler } from './audit/audit-requests.js';
import { BrokerUsers } from './broker/broker-users.js';
import {
  AuthController,
  DataController,
  EventController,
  GrantController,
  GuestController,
  JoinController,
  MineController,
  AdminController,
  ReadController,
  RenewController,
  SucceedController,
  WheelController,
} from './controllers.js';
import { Attempts } from './eauth/attempts.js';
import { type LoginParts, Logins } from './eauth/logins.js';
import { Tallies } from './eauth/tallies.js';
import { tokenHandler } from './eauth/token-requests.js';
import { Tokens } from './eauth/tokens.js';
import { EventRefusals } from './audit/event-refusals.js';
import { tellFigures } from './figures.js';
import { enrolFirstAccount } from './first-account.js';
import { Granting } from './granting.js';
import { Guests } from './broker/guests.js';
import { answeringHello } from './hello-service.js';
import { Inventory } from './data/inventory.js';
import { inventoryHandler } from './data/inventory-export.js';
import { InventoryReads } from './inventory-reads.js';
import { Joining } from './keys/joining.js';
import { Admin } from './admin.js';
import { KeyEvents } from './keys/key-events.js';
import { accountHandler, keyHandler } from './keys/key-requests.js';
import { MineDoor } from './mine-door.js';
import { Mines } from './data/mines.js';
import { MinionData } from './data/minion-data.js';
import { PillarSource } from './data/pillar-source.js';
import { PillarWatch } from './data/pillar-watch.js';
import { OnceOnly } from './once-only.js';
import { Policies } from './policy/policies.js';
import { policyHandler, PolicyReports } from './policy/policy-reports.js';
import { PolicyWatch } from './policy/policy-watch.js';
import { standstillOf } from './policy/standstill.js';
import { Renewing } from './broker/renewing.js';
import { Room } from './keys/room.js';
import { Roster } from './roster/roster.js';
import { Succeeding } from './keys/succeeding.js';
import { Sweeping } from './data/sweeping.js';
import { WheelKeys } from './keys/wheel-keys.js';

export interface AclOptions {
  readonly link: RoleLink;
  readonly service: ServiceConfig;
  readonly onListening: (begin: () => void) => void;
  readonly onStop: (stop: () => Promise<void>) => void;
  readonly log: Logger;
  /** undefined: nobody asks for figures. */
  readonly metrics?: ServiceMetrics | undefined;
}

const CONTROLLERS = [
  RenewController,
  GuestController,
  SucceedController,
  GrantController,
  AuthController,
  JoinController,
  DataController,
  MineController,
  AdminController,
  ReadController,
  WheelController,
  EventController,
];

@Module({})
export class AclModule {
  static async create(options: AclOptions): Promise<DynamicModule> {
    return { module: AclModule, controllers: CONTROLLERS, providers: providersOf(await openParts(options)) };
  }
}

/** What the doors share, opened in the order in which each needs the ones before it. */
async function openParts({ link, service, onListening, onStop, log, metrics }: AclOptions) {
  const { loaded, runnerTimeoutMs } = service;
  let config = loaded.config;
  const limits = { rate: config.request_rate, burst: config.request_burst };
  const budget = () => new Budget(limits);
  const roster = await openRoster(link, log);
  const pillars = new PillarSource(() => config, log);
  const pillarWatch = new PillarWatch(pillars, log);
  const { inventory, mines } = await openMinionStores(link, { roster, pillars, log });
  const { audit, index, heads, archive } = await openAudit(link, () => config, log);
  const store = await link.store('tokens', 'tokens');
  const policy = () => policies.current;
  const once = new OnceOnly(store, () => link.clock.now());
  const ofLogins = { policy, roster, audit, log, once, budget: budget() };
  const { tokens, logins } = await openLogins(link, store, config, ofLogins);
  const onLoad = (next: MasterConfig) => {
    config = next;
    logins.use(next);
    pillarWatch.readSoon();
    hearUser(next.user);
  };
  const onRead = () => void reports.tell();
  const stoodStill = standstillOf(onListening, onStop);
  const policies = new Policies(loaded, { roster, inventory, audit, log, onLoad, onRead, stoodStill });
  if (metrics !== undefined) tellFigures(metrics, { audit, policies, roster });
  const room = new Room(roster, () => config);
  const admission = admissionFrom(() => config, room, log);
  const users = await BrokerUsers.open(link, service, roster, log);
  if (users !== undefined) onStop(() => users.close());
  onListening(answeringHello(link, { roster, users, onStop, limits }));
  const events = new KeyEvents(link, log);
  onStop(() => events.close());
  const joining = new Joining(link, roster, admission, { audit, room, users, events, budget: budget() });
  tellOfKeys(link, { roster, joining, log });
  const hearUser = await enrolFirstAccount(link, roster, policies.current.masterAccount, log);
  const reports = await PolicyReports.begin(link, { store, policies, log, onStop });
  return {
    ...{ link, log, runnerTimeoutMs, budget, roster, room, inventory, mines, audit, index, heads, archive },
    ...{ tokens, logins, policies, pillarWatch, users, events, joining, once, reports },
  };
}

/** Three messages a change: twenty changes at once, then one a minute. */
const IDENTITY_CHANGES = { rate: 3 / 60, burst: 60 };

function providersOf(parts: Awaited<ReturnType<typeof openParts>>): Provider[] {
  const { link, log, runnerTimeoutMs, budget, roster, room, inventory, mines, audit, index, heads, archive } = parts;
  const { tokens, logins, policies, pillarWatch, users, events, joining, once, reports } = parts;
  const now = () => link.clock.own();
  const targets = budget();
  const granting = new Granting(
    link,
    link.keys.roleKey('acl'),
    { roster, policies, audit, logins, targets },
    runnerTimeoutMs,
  );
  const changes = new Budget(IDENTITY_CHANGES);
  const succeeding = new Succeeding(link, { roster, inventory, mines, users, audit, events, log, budget: changes });
  const admin = new Admin(
    link,
    { roster, policies, audit, budget: budget(), once },
    {
      key: keyHandler(roster, room, events),
      account: accountHandler(roster, () => policies.current.masterAccount),
      audit: auditHandler({ index, heads, archive }),
      inventory: inventoryHandler(roster, inventory),
      policy: policyHandler(reports),
      token: tokenHandler(tokens),
    },
  );
  return [
    { provide: Granting, useValue: granting },
    { provide: Logins, useValue: logins },
    { provide: Joining, useValue: joining },
    { provide: MinionData, useValue: new MinionData(link, { roster, inventory, log, budget: budget() }) },
    { provide: MineDoor, useValue: new MineDoor({ roster, policies, mines, audit, budget: budget(), now }) },
    { provide: Renewing, useValue: new Renewing(roster, users, budget(), now) },
    { provide: Guests, useValue: new Guests(users, budget(), now) },
    { provide: Succeeding, useValue: succeeding },
    { provide: Admin, useValue: admin },
    { provide: PolicyWatch, useValue: new PolicyWatch(policies, log) },
    { provide: PillarWatch, useValue: pillarWatch },
    { provide: EventRefusals, useValue: new EventRefusals(roster, audit) },
    { provide: AuditHeads, useValue: heads },
    { provide: InventoryReads, useValue: new InventoryReads(link, { roster, inventory, policies, audit, targets }) },
    { provide: WheelKeys, useValue: new WheelKeys(link, { roster, room, policies, audit, events, once }) },
  ];
}

/** The roster, with all of its records under the acl key of now. */
async function openRoster(link: RoleLink, log: Logger): Promise<Roster> {
  const roster = await Roster.open(await link.store('roster', 'roster'), {
    acl: link.keys.roleKey('acl'),
    aclKeys: () => link.roles.keysOf('acl'),
    cluster: link.roles.cluster,
    nameKey: link.keys.nameKey(),
    onSpoilt: (error) => {
      log.error({ err: error }, 'somebody has spoilt a value of the roster; the records of the keys count without it');
    },
  });
  const resigned = await roster.signAnew();
  if (resigned > 0) log.info({ resigned }, 'roster records of an earlier acl key were signed anew');
  return roster;
}

interface StoresNeeds {
  readonly roster: Roster;
  readonly pillars: PillarSource;
  readonly log: Logger;
}

/** What minions say and keep; what nobody's is any more goes. */
async function openMinionStores(link: RoleLink, { roster, pillars, log }: StoresNeeds) {
  const { roles, clock } = link;
  const inventory = await Inventory.open(await link.store('data', 'inventory'), roles.cluster, pillars, clock);
  const mines = await Mines.open(await link.store('mine', 'inventory'));
  new Sweeping({ roster, inventory, mines, announcements: link.announcements, log }).begin();
  return { inventory, mines };
}

/** This instance's chain, which begins with where the others end. */
async function openAudit(link: RoleLink, config: () => MasterConfig, log: Logger) {
  const store = await link.store('audit', 'audit');
  const index = await AuditIndex.open(store);
  const now = () => link.clock.now();
  const audit = new AuditLog(store, {
    instance: link.own.instance,
    heads: await index.ends(),
    now,
    onFailure: (cause) => {
      log.error({ err: cause }, 'audit records cannot be written; they wait in memory');
    },
    onRecovered: (lost) => {
      const over = 'audit records can be written again; those that waited are stored';
      if (lost > 0) log.error({ lost }, over);
      else log.warn(over);
    },
  });
  const acl = link.keys.roleKey('acl');
  const archive = new AuditArchive(store, index, {
    acl,
    cluster: link.roles.cluster,
    aclKeys: () => everyKeyOf(link.keys.chain(), 'acl'),
    now,
    days: () => config().audit_archive_after,
  });
  return { audit, index, heads: new AuditHeads(link, acl, { audit, index, log }), archive };
}

function admissionFrom(config: () => MasterConfig, room: Room, log: Logger): FileAdmission {
  return new FileAdmission({
    config,
    now: () => Date.now(),
    hasRoom: () => room.left > 0,
    onIgnored: (path, sentence) => {
      log.error({ path }, sentence);
    },
  });
}

interface KeyNeeds {
  readonly roster: Roster;
  readonly joining: Joining;
  readonly log: Logger;
}

/** What becomes of a key is told to whoever waits with it, and counts here at once. */
function tellOfKeys(link: RoleLink, { roster, joining, log }: KeyNeeds): void {
  roster.onChange((record, { signed, waiting }) => {
    joining.tellWaiting(record, signed, waiting).catch((cause: unknown) => {
      log.error({ err: cause }, 'a newcomer that waits could not be told what became of its key');
    });
    if (record.state !== 'accepted') forget(link, record.identity);
  });
}

/** The sessions of a key that is not accepted are dropped; a newcomer's message brings its announcement along. */
function forget({ directory }: RoleLink, identity: Uint8Array): void {
  directory.retain(({ owner }) => owner.type === 'role' || !equalBytes(owner.key, identity));
}

type Opened = 'tokens' | 'tallies' | 'attempts' | 'now' | 'own';

/** @param store Of tokens, and of who has failed how often. */
async function openLogins(link: RoleLink, store: Store, config: MasterConfig, parts: Omit<LoginParts, Opened>) {
  const now = () => link.clock.now();
  const tokens = await Tokens.follow(store, now);
  const tallies = new Tallies(store, link.keys.nameKey(), now);
  const attempts = new Attempts(tallies, now);
  const own = () => link.clock.own();
  return { tokens, logins: new Logins(config, { ...parts, tokens, tallies, attempts, now, own }) };
}
