/** What is to be said of a running cluster, from what was seen of it; nothing here asks. */
import { MAX_REPLICAS, type MasterConfig, replicasOf, shownAddress } from '@natrium/config';
import { plural } from '../common/plural.js';
import { type Finding, fine, problem, warning } from './finding.js';

export interface BrokerSeen {
  readonly version: string;
  readonly maxPayload: number;
  readonly jetstream: boolean;
  readonly tls: boolean;
}

/** What one node says of its JetStream; only a broker with users tells it. */
export interface NodeSeen {
  readonly name: string;
  readonly syncAlways: boolean;
  /** How many nodes its cluster has, as it knows. */
  readonly cluster: number;
}

export interface StreamSeen {
  readonly name: string;
  readonly replicas: number;
  /** Nodes that should hold it and are not there, or behind. */
  readonly offline: number;
}

export interface PartySeen {
  /** `gateway`, `acl`, `runner`, or the id of a minion. */
  readonly name: string;
  readonly rolesSerial: number;
}

/** What is stored of the minions that are let in. */
export interface MinionsSeen {
  readonly seen: readonly PartySeen[];
  /** Why that could not be read. */
  readonly problem?: string;
}

const OLDEST = [2, 10] as const;
const MAX_PAYLOAD = 8 << 20;
const NOTICED_MS = 1000;
const SERVICES = { gateway: 'master-gateway', acl: 'acl-service', runner: 'runner-service' } as const;
const MAX_NAMED = 5;

/** What was made for the broker on this host, and what its own account has. */
export interface ScopesSeen {
  /** Scopes of this version that the cluster has no keys for. */
  readonly missing: readonly string[];
  readonly made: readonly string[];
  readonly inAccount: ReadonlySet<string>;
}

/** @param seen undefined: not to be seen from here. */
export function checkScopes(seen: ScopesSeen | undefined): readonly Finding[] {
  if (seen === undefined) return [];
  const { missing, made, inAccount } = seen;
  const lost = made.filter((name) => !inAccount.has(name));
  const findings = [
    ...(missing.length === 0
      ? []
      : [
          problem(
            'broker scopes',
            `this cluster was made by an earlier version: its broker has no users for ${missing.join(', ')}`,
            'run natriumctl init again, which makes them, then restart every acl-service',
          ),
        ]),
    ...(lost.length === 0
      ? []
      : [
          problem(
            'broker scopes',
            `the account at the broker lacks ${lost.join(', ')}: an acl-service that does not know them signed it last`,
            'bring every acl-service to this version, and restart one of them',
          ),
        ]),
  ];
  return findings.length > 0 ? findings : [fine('broker scopes', 'the broker has users for every part')];
}

export function checkBroker(seen: BrokerSeen, config: MasterConfig): readonly Finding[] {
  const [major = 0, minor = 0] = seen.version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  const isFar = config.nats.some((url) => !/^\w+:\/\/(?:[^@]*@)?(?:127\.|localhost|\[::1\])/.test(url));
  return [
    isOld
      ? problem('broker', `nats-server ${seen.version} is too old`, 'install 2.10 or newer')
      : fine('broker', `nats-server ${seen.version} at ${config.nats.map(shownAddress).join(', ')}`),
    ...(seen.jetstream
      ? []
      : [problem('broker', 'the broker has no JetStream', 'add jetstream {} to its configuration')]),
    ...(seen.maxPayload < MAX_PAYLOAD
      ? [
          problem(
            'broker',
            `the broker takes messages of ${String(seen.maxPayload)} bytes at most: larger jobs and returns would be lost`,
            `set max_payload: ${String(MAX_PAYLOAD)} in its configuration`,
          ),
        ]
      : []),
    config.broker_auth === 'none'
      ? warning(
          'broker users',
          'the broker asks nobody who they are: whoever reaches it can listen to all ciphertext, send junk to everybody, change or empty the stores, and a revoked minion stays connected',
          'add broker_auth: jwt to the master file, and include pki/broker/server.conf in the configuration of the broker; or shut it off by other means',
        )
      : fine('broker users', 'the broker lets in only those who have a user'),
    ...(isFar && !seen.tls
      ? [
          warning(
            'broker tls',
            'connections to the broker are not encrypted: who talks to whom can be read on the wire, and a login be watched',
            'natriumctl init --broker-tls HOSTS makes a CA; set broker_ca',
          ),
        ]
      : []),
  ];
}

/** @param nodes Those that have answered; undefined: nobody was asked. */
export function checkNodes(nodes: readonly NodeSeen[] | undefined): readonly Finding[] {
  return nodes === undefined ? [] : [...checkSilent(nodes), ...checkSync(nodes)];
}

function checkSilent(nodes: readonly NodeSeen[]): readonly Finding[] {
  const all = Math.max(1, ...nodes.map(({ cluster }) => cluster));
  const silent = all - nodes.length;
  if (silent <= 0) return [];
  const said = `${String(silent)} of ${plural(all, 'node')} of the broker did not answer in time: what is said of JetStream here is without them`;
  return [warning('jetstream nodes', said, 'start the node that is missing, or run this again when the broker has less to do')]; // prettier-ignore
}

function checkSync(nodes: readonly NodeSeen[]): readonly Finding[] {
  const lazy = nodes.filter(({ syncAlways }) => !syncAlways).map(({ name }) => name);
  if (nodes.length === 0) return [];
  if (lazy.length === 0) return [fine('jetstream sync', 'each write is on disk before it is acknowledged')];
  const alone = nodes.length < MAX_REPLICAS;
  const said = `JetStream on ${lazy.join(', ')} does not sync each write: a power loss forgets what was acknowledged`;
  const mend = 'set sync_interval: always in its jetstream {}';
  return [alone ? problem('jetstream sync', said, mend) : warning('jetstream sync', said, mend)];
}

export function checkStreams(streams: readonly StreamSeen[], { nats }: MasterConfig): readonly Finding[] {
  const wanted = replicasOf({ nats });
  const few = streams.filter(({ replicas }) => replicas < wanted);
  const offline = streams.filter((stream) => stream.offline > 0);
  const names = (of: readonly StreamSeen[]) => shortened(of.map(({ name }) => name));
  if (few.length === 0 && offline.length === 0)
    return streams.length === 0 ? [] : [fine('jetstream replicas', `${String(streams.length)} streams, ${String(wanted)} replicas each`)]; // prettier-ignore
  return [
    ...(few.length === 0
      ? []
      : [
          problem(
            'jetstream replicas',
            `${names(few)} should have ${String(wanted)} replicas and have fewer`,
            `nats stream edit NAME --replicas ${String(wanted)}`,
          ),
        ]),
    ...(offline.length === 0
      ? []
      : [problem('jetstream replicas', `replicas of ${names(offline)} are not there`, 'start the broker node that is missing')]), // prettier-ignore
  ];
}

const AGAIN = 'run this again when the cluster has less to do';

/** @param offsetMs How far this host's clock is from the cluster's, signed time minus own; undefined where nobody has told. */
export function checkClock(offsetMs: number | undefined, { clock_skew: skew }: MasterConfig): readonly Finding[] {
  if (offsetMs === undefined) return [warning('clock', 'no acl-service has told the time now', AGAIN)];
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  const side = offsetMs > 0 ? 'behind' : 'ahead of';
  const said = `this host's clock is ${seconds} s ${side} the cluster's`;
  const mend = 'run an NTP client, such as chrony';
  if (Math.abs(offsetMs) > skew * 1000) return [problem('clock', `${said}, more than clock_skew`, mend)];
  if (Math.abs(offsetMs) > NOTICED_MS) return [warning('clock', said, mend)];
  return [fine('clock', `this host's clock is within ${seconds} s of the cluster's`)];
}

/** An event-sink only where there is something to deliver to. */
export function checkServices(services: readonly PartySeen[], { event_sinks }: MasterConfig): readonly Finding[] {
  const wanted = Object.keys(event_sinks).length === 0 ? SERVICES : { ...SERVICES, sink: 'event-sink' };
  return Object.entries(wanted).map(([role, app]) => {
    const count = services.filter(({ name }) => name === role).length;
    if (count === 0)
      return problem('replicas', `no ${app} is running`, `start one (systemctl start natrium-${role}), or look into its log`); // prettier-ignore
    if (count === 1)
      return warning('replicas', `only one ${app} is running: while it is down, nobody does its work`, 'start a second one'); // prettier-ignore
    return fine('replicas', `${String(count)} ${app}s`);
  });
}

/** What the acl-services say of their policies. */
export interface PoliciesSeen {
  /** Instances that are there. */
  readonly there: readonly string[];
  /** Of those, what each has told; an earlier version tells nothing. */
  readonly told: readonly { readonly policy: string; readonly refused: boolean }[];
  /** Why nobody could be asked. */
  readonly problem?: string;
}

/** @param files The revision of the policy as the files of this folder say it. */
export function checkInForce({ there, told, problem: why }: PoliciesSeen, files: string): readonly Finding[] {
  if (there.length === 0) return [];
  const refused = told.filter((one) => one.refused).length;
  const others = told.filter(({ policy, refused: is }) => !is && policy !== files).length;
  const silent = there.length - told.length;
  const [check, of] = ['policy in force', `of ${String(there.length)} acl-services`];
  const look = 'natriumctl acl lint, and the log of each acl-service, name the place';
  const findings = [
    ...(refused === 0
      ? []
      : [
          problem(
            check,
            `${String(refused)} ${of} could not take the newest files: an older policy is in force there, and a restart would end the service`,
            `${look}; a new file has to be readable for its account: chgrp natrium FILE; chmod g+r FILE`,
          ),
        ]),
    ...(others === 0
      ? []
      : [
          problem(
            check,
            `${String(others)} ${of} have another policy in force than these files say`,
            'bring the same files to each of them, then systemctl kill -s HUP natrium-acl, or restart it',
          ),
        ]),
    ...(silent <= 0
      ? []
      : [
          warning(
            check,
            `${String(silent)} ${of} do not say which policy is in force there${why === undefined ? '' : ` (${why})`}`,
            'bring every acl-service to this version',
          ),
        ]),
  ];
  return findings.length > 0 ? findings : [fine(check, `what these files say, at each of ${String(there.length)} acl-services`)]; // prettier-ignore
}

const NOT_KNOWN = 'which one each minion has seen is not known';
const NO_AUDITOR = 'there are no credentials of the auditor here';
const FETCH = 'put pki/broker/users/auditor.creds back, from a backup or from the host that has all keys';

/** @param minions undefined: nothing here can look at them. @param newest Of the roles document in the master's folder. */
export function checkSerials(
  services: readonly PartySeen[],
  minions: MinionsSeen | undefined,
  newest: number,
): readonly Finding[] {
  const { seen, problem: why } = minions ?? { seen: [] };
  const behind = [...services, ...seen].filter(({ rolesSerial }) => rolesSerial < newest).map(({ name }) => name);
  const findings = why === undefined ? [] : [warning('roles seen', `${NOT_KNOWN} (${why})`, AGAIN)];
  if (minions === undefined) findings.push(warning('roles seen', `${NOT_KNOWN}: ${NO_AUDITOR}`, FETCH));
  if (behind.length > 0)
    findings.push(
      warning(
        'roles seen',
        `${shortened(behind)} have not seen roles document ${String(newest)} yet`,
        'they learn it when they start again or at their next epoch',
      ),
    );
  return findings.length > 0 ? findings : [fine('roles seen', `everybody has seen roles document ${String(newest)}`)];
}

function shortened(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${String(names.length - MAX_NAMED)} more` : shown;
}
