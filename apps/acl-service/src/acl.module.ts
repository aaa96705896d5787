/** The acl-service's whole wiring. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { MasterConfig } from '@natrium/config';
import type { RoleLink, ServiceConfig, ServiceMetrics } from '@natrium/edge';
import { equalBytes } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { Logger } from 'pino';
import { FileAdmission } from './admission.js';
import { AuditHeads } from './audit-heads.js';
import { AuditIndex } from './audit-index.js';
import { AuditLog } from './audit-log.js';
import { auditHandler } from './audit-requests.js';
import { BrokerUsers } from './broker-users.js';
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
import { EventRefusals } from './event-refusals.js';
import { tellFigures } from './figures.js';
import { Granting } from './granting.js';
import { Guests } from './guests.js';
import { answeringHello } from './hello-service.js';
import { Inventory } from './inventory.js';
import { inventoryHandler } from './inventory-export.js';
import { InventoryReads } from './inventory-reads.js';
import { Joining } from './joining.js';
import { accountHandler, Admin, keyHandler } from './admin.js';
import { KeyEvents } from './key-events.js';
import { MineDoor } from './mine-door.js';
import { Mines } from './mines.js';
import { MinionData } from './minion-data.js';
import { PillarSource } from './pillar-source.js';
import { PillarWatch } from './pillar-watch.js';
import { OnceOnly } from './once-only.js';
import { Policies } from './policies.js';
import { policyHandler, PolicyReports } from './policy-reports.js';
import { PolicyWatch } from './policy-watch.js';
import { Renewing } from './renewing.js';
import { Room } from './room.js';
import { Roster } from './roster.js';
import { Succeeding } from './succeeding.js';
import { Sweeping } from './sweeping.js';
import { WheelKeys } from './wheel-keys.js';

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
  static async create({ link, service, onListening, onStop, log, metrics }: AclOptions): Promise<DynamicModule> {
    const { loaded, runnerTimeoutMs } = service;
    const acl = link.keys.roleKey('acl');
    const roster = await openRoster(link, log);
    let config = loaded.config;
    const pillars = new PillarSource(() => config, log);
    const pillarWatch = new PillarWatch(pillars, log);
    const { inventory, mines } = await openMinionStores(link, { roster, pillars, log });
    const { audit, index, heads } = await openAudit(link, log);
    const { request_rate: rate, request_burst: burst } = config;
    const budget = () => new Budget({ rate, burst });
    const policy = () => policies.current;
    const { tokens, logins } = await openLogins(link, config, { policy, roster, audit, log, budget: budget() });
    const onLoad = (next: MasterConfig) => {
      config = next;
      logins.use(next);
      pillarWatch.readSoon();
    };
    const onRead = () => void reports.tell();
    const policies = new Policies(loaded, { roster, inventory, audit, log, onLoad, onRead });
    if (metrics !== undefined) tellFigures(metrics, { audit, policies, roster });
    const own = () => link.clock.own();
    const room = new Room(roster, () => config);
    const admission = admissionFrom(() => config, room, log);
    const users = await BrokerUsers.open(service, roster, log);
    if (users !== undefined) {
      onStop(() => users.close());
      await backAt(link);
    }
    onListening(answeringHello(link, { roster, users, onStop, limits: { rate, burst } }));
    const events = new KeyEvents(link, log);
    const joining = new Joining(link, roster, admission, { audit, room, users, events, budget: budget() });
    tellOfKeys(link, { roster, joining, log });
    await enrolFirstAccount(link, roster, policies.current.masterAccount);
    const store = await link.store('tokens', 'tokens');
    const once = new OnceOnly(store, () => link.clock.now());
    const reports = await PolicyReports.begin(link, { store, policies, log, onStop });
    const admin = adminOf(link, { roster, room, policies, reports, audit, index, heads, inventory, tokens, events, once, budget: budget() }); // prettier-ignore
    return {
      module: AclModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: Granting, useValue: new Granting(link, acl, { roster, policies, audit, logins }, runnerTimeoutMs) },
        { provide: Logins, useValue: logins },
        { provide: Joining, useValue: joining },
        { provide: MinionData, useValue: new MinionData(link, roster, inventory, link.announcements, budget()) },
        { provide: MineDoor, useValue: new MineDoor({ roster, policies, mines, audit, budget: budget(), now: own }) },
        { provide: Renewing, useValue: new Renewing(roster, users, budget(), own) },
        { provide: Guests, useValue: new Guests(users, budget(), own) },
        { provide: Succeeding, useValue: succeedingOf(link, { roster, inventory, mines, users, audit, events, log }) },
        { provide: Admin, useValue: admin },
        { provide: PolicyWatch, useValue: new PolicyWatch(policies, log) },
        { provide: PillarWatch, useValue: pillarWatch },
        { provide: EventRefusals, useValue: new EventRefusals(roster, audit) },
        { provide: AuditHeads, useValue: heads },
        { provide: InventoryReads, useValue: new InventoryReads(link, { roster, inventory, policies, audit }) },
        { provide: WheelKeys, useValue: new WheelKeys(link, { roster, room, policies, audit, events, once }) },
      ],
    };
  }
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
  const inventory = await Inventory.open(await link.store('data', 'inventory'), link.roles.cluster, pillars);
  const mines = await Mines.open(await link.store('mine', 'inventory'));
  new Sweeping({ roster, inventory, mines, announcements: link.announcements, log }).begin();
  return { inventory, mines };
}

interface AdminNeeds {
  readonly roster: Roster;
  readonly room: Room;
  readonly policies: Policies;
  readonly reports: PolicyReports;
  readonly audit: AuditLog;
  readonly index: AuditIndex;
  readonly heads: AuditHeads;
  readonly inventory: Inventory;
  readonly tokens: Tokens;
  readonly events: KeyEvents;
  readonly once: OnceOnly;
  readonly budget: Budget;
}

function adminOf(link: RoleLink, needs: AdminNeeds): Admin {
  const { roster, room, policies, reports, audit, index, heads, inventory, tokens, events, once, budget } = needs;
  const masterAccount = () => policies.current.masterAccount;
  return new Admin(link, { roster, audit, budget, once }, (account) => policies.current.hasFullAccess(account), {
    key: keyHandler(roster, room, events),
    account: accountHandler(roster, masterAccount),
    audit: auditHandler(index, heads),
    inventory: inventoryHandler(roster, inventory),
    policy: policyHandler(reports),
    token: tokenHandler(tokens),
  });
}

/** Three messages a change: twenty changes at once, then one a minute. */
const CHANGES = { rate: 3 / 60, burst: 60 };

function succeedingOf(link: RoleLink, parts: Omit<ConstructorParameters<typeof Succeeding>[1], 'budget'>): Succeeding {
  return new Succeeding(link, { ...parts, budget: new Budget(CHANGES) });
}

/** This instance's chain, which begins with where the others end. */
async function openAudit(link: RoleLink, log: Logger) {
  const store = await link.store('audit', 'audit');
  const index = await AuditIndex.open(store);
  const audit = new AuditLog(store, {
    instance: link.own.instance,
    heads: await index.ends(),
    now: () => link.clock.now(),
    onFailure: (cause) => {
      log.error({ err: cause }, 'audit records cannot be written; they wait in memory');
    },
    onRecovered: (lost) => {
      const over = 'audit records can be written again; those that waited are stored';
      if (lost > 0) log.error({ lost }, over);
      else log.warn(over);
    },
  });
  const heads = new AuditHeads(link, link.keys.roleKey('acl'), { audit, index, log });
  return { audit, index, heads };
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

const MAX_CUTS = 5;

type Opened = 'tokens' | 'tallies' | 'attempts' | 'now' | 'own';

/**
 * Where this account's permissions have changed with its new signature, the broker has cut every connection under it, ours too:
 * what is written before it is back is lost.
 */
async function backAt({ transport }: RoleLink): Promise<void> {
  for (let tries = 0; tries < MAX_CUTS && !transport.isClosed; tries += 1) {
    const isThere = await transport.flush().then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
}

async function openLogins(link: RoleLink, config: MasterConfig, parts: Omit<LoginParts, Opened>) {
  const now = () => link.clock.now();
  const store = await link.store('tokens', 'tokens');
  const tokens = await Tokens.follow(store, now);
  const tallies = new Tallies(store, link.keys.nameKey(), now);
  const attempts = new Attempts(tallies, now);
  const own = () => link.clock.own();
  return { tokens, logins: new Logins(config, { ...parts, tokens, tallies, attempts, now, own }) };
}

/** While there is no account at all, the one that `natriumctl init` made is let in. */
async function enrolFirstAccount(link: RoleLink, roster: Roster, name: string): Promise<void> {
  const first = link.keys.firstAccount();
  if (first === undefined || roster.records().some(({ kind }) => kind === 'account')) return;
  await roster.write({ kind: 'account', name, identity: first.identity, nkey: first.nkey, state: 'accepted' });
}
