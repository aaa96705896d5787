/**
 * The life of an agent: identity, broker, hello, joining, data, jobs; and a clean end.
 *
 * It starts nothing before the cluster's root is the one that this host trusts. Spec: spec/envelope.md#joining.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Clock } from '@natrium/bus';
import { identityAsker, keepRenewed, type Link, MasterClient, peerPort } from '@natrium/client';
import type { MinionConfig } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { readOrMakeIdentity } from '@natrium/keystore';
import type { Jid, ValueMap } from '@natrium/model';
import { gatherGrains, GrainsFile, minionFacts, OwnModules } from '@natrium/modules';
import type { Logger } from 'pino';
import { listenForCalls } from './call-socket.js';
import { ClusterTrust } from './cluster-trust.js';
import { type CameIn, comeIn } from './coming-in.js';
import { Epochs } from './epochs.js';
import { type AgentEvents, openEvents } from './events/open-events.js';
import { Execution } from './execution.js';
import { HostData } from './host-data.js';
import { listenForJobs } from './jobs.js';
import { Mine } from './mine.js';
import { Outbox } from './outbox.js';
import { agentReturners } from './own-returners.js';
import { tidyAtRest } from './rest.js';
import { RunRecord } from './run-record.js';
import { Spool } from './spool.js';
import { Standing } from './standing.js';

/** Beside this file in the sources and in a bundle. */
const MODULE_HOST = fileURLToPath(new URL('./module-host.mjs', import.meta.url));
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export interface Agent {
  readonly link: Link;
  /** Ends the epoch before its time. */
  newEpoch(): Promise<void>;
  /** Resolves when the broker no longer knows this minion, with its word for it. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

export async function startAgent(config: MinionConfig, log: Logger, signal: AbortSignal): Promise<Agent> {
  await sodiumReady();
  const { identity, fresh } = readOrMakeIdentity(join(config.pki_dir, 'minion.key'));
  const trust = new ClusterTrust(config, problemsTo(log));
  trust.pin(); // refuses before anything is sent when nothing says whom to trust
  const clock = new Clock(config.clock_skew * 1000);
  clock.raiseFloor(trust.timeFloorMs);
  const came = await comeIn({ config, identity, trust, clock, log, signal, grains: shownGrains(config) });
  try {
    return await begin({ config, ...came, fresh, log, trust, signal });
  } catch (error) {
    await came.transport.drain(); // an agent that does not come to life leaves nothing open
    throw error;
  }
}

interface Beginning extends CameIn {
  readonly config: MinionConfig;
  readonly fresh: boolean;
  readonly log: Logger;
  readonly trust: ClusterTrust;
  readonly signal: AbortSignal;
}

async function begin({ config, link, transport, user, fresh, log, trust, signal }: Beginning): Promise<Agent> {
  const record = openRecord(config, fresh, link.clock, log);
  const spool = new Spool(join(config.cachedir, 'spool'), problemsTo(log));
  const grainsFile = new GrainsFile(config.root_dir);
  const data = new HostData(link, () => gatherGrains(config.id, grainsConfig(config), grainsSet(grainsFile, log)), log);
  const events = await openEvents(config, link, log);
  const execution = executionOf({ config, link }, { data, grainsFile, events });
  const outbox = openOutbox({ link, log }, spool, record);
  const own = ownModules(config, log);
  await own.watch(() => {
    execution.use(own.modules);
  });
  const handed = await agentReturners(config, { hostPath: MODULE_HOST, config: shownConfig(config) }, log);
  execution.returners = () => handed.returners.names;
  const closing = new AbortController();
  const standing = new Standing(
    { id: config.id, link, log, signal: AbortSignal.any([signal, closing.signal]), grains: shownGrains(config) },
    () => {
      void data.grains().then(() => {
        outbox.sendSpooled();
      });
    },
  );
  listenForJobs({ id: config.id, link, record, spool, outbox, execution, data, standing, returners: handed.returners });
  await link.transport.flush();
  await data.send();
  outbox.sendSpooled();
  events.begin();
  const mine = mineOf({ config, link, log }, data, execution);
  const socket = await listenForCalls(join(config.sock_dir, 'minion.sock'), execution);
  const epochs = new Epochs(link, { epochMs: config.epoch_hours * 3_600_000, trust, data, log });
  const stopRenewing = renewing({ link, transport, user, log });
  const stopTidying = tidyAtRest([record, link.bus.sealer]);
  log.info('live');
  return {
    link,
    newEpoch: () => epochs.begin(),
    lost: transport.lost,
    stop: async () => {
      closing.abort();
      epochs.stop();
      stopRenewing();
      stopTidying();
      own.close();
      handed.close();
      mine.stop();
      data.stop();
      socket.close();
      outbox.close();
      events.close();
      trust.keep(link);
      await link.transport.drain();
      record.close();
      spool.close();
    },
  };
}

interface ExecutionNeeds {
  readonly data: HostData;
  readonly grainsFile: GrainsFile;
  readonly events: AgentEvents;
}

function executionOf({ config, link }: Pick<Beginning, 'config' | 'link'>, needs: ExecutionNeeds): Execution {
  const { data, grainsFile, events } = needs;
  const client = new MasterClient(identityAsker(link, 'up'));
  return new Execution({
    id: config.id,
    data,
    config: shownConfig(config),
    fingerprint: fingerprint(link.identity.publicKey),
    masterFingerprint: fingerprint(link.roles.chain[0]),
    grainsFile,
    master: peerPort(client, config.nats),
    events: events.port,
  });
}

/** What was begun before a restart and has no return is told as interrupted. */
function openOutbox({ link, log }: Pick<Beginning, 'link' | 'log'>, spool: Spool, record: RunRecord): Outbox {
  const outbox = new Outbox(link, spool, record, (cause) => {
    log.error({ err: cause }, 'a return could not be sent');
  });
  for (const { digest, jid } of record.unfinished) {
    if (spool.get(digest) === undefined) spool.put(interrupted(digest, jid as Jid));
  }
  return outbox;
}

function renewing({ link, transport, user, log }: Pick<Beginning, 'link' | 'transport' | 'user' | 'log'>): () => void {
  if (user === undefined) return () => undefined;
  return keepRenewed({ ...link, transport }, user, 'up', (cause) => {
    log.error({ err: cause }, 'the user of the broker could not be renewed');
  });
}

function mineOf(
  { config, link, log }: Pick<Beginning, 'config' | 'link' | 'log'>,
  data: HostData,
  execution: Execution,
) {
  const mine = new Mine({
    link,
    log,
    functions: config.mine_functions,
    intervalMinutes: config.mine_interval,
    pillar: data.currentPillar,
    run: (fun, args, jid) => execution.call(fun, args, jid),
  });
  execution.mine = mine;
  mine.start();
  return mine;
}

function ownModules({ module_dirs, module_timeout, module_memory }: MinionConfig, log: Logger) {
  return new OwnModules({
    folders: module_dirs,
    hostPath: MODULE_HOST,
    limits: { seconds: module_timeout, memoryMib: module_memory },
    facts: minionFacts,
    onProblem: (sentence) => {
      log.error(`a module of your own is not available: ${sentence}`);
    },
  });
}

/** A file that cannot be read hides no other grain. */
function grainsSet(file: GrainsFile, log: Logger): ValueMap {
  try {
    return file.read();
  } catch (error) {
    log.error({ err: error }, 'the grains that were set on this host are not there');
    return {};
  }
}

function openRecord(config: MinionConfig, fresh: boolean, clock: Clock, log: Logger): RunRecord {
  const bootId = existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : 'unknown';
  const record = new RunRecord({
    folder: join(config.cachedir, 'record'),
    fresh,
    bootId,
    now: () => clock.now(),
    onProblem: problemsTo(log),
  });
  if (record.doubt !== undefined) {
    record.refuseIssuedBefore(clock.now() + clock.skewMs);
    log.error(`${record.doubt}: requests from before now are refused, since they may have run`);
  }
  return record;
}

function problemsTo(log: Logger) {
  return (problem: string, cause?: unknown) => {
    log.error({ err: cause }, problem);
  };
}

function interrupted(digest: string, jid: Jid) {
  const outcome = { ret: 'interrupted, outcome unknown', retcode: 1, success: false, out: null };
  return { jid, digest, instance: '', status: 'interrupted', code: null, outcome } as const;
}

/** What functions and returners see of the configuration. */
function shownConfig(config: MinionConfig): ValueMap {
  return { ...grainsConfig(config), cachedir: config.cachedir };
}

/** Nobody sees more of this host before it is accepted than what `autosign_grains` names. */
function shownGrains(config: MinionConfig): ValueMap {
  if (config.autosign_grains.length === 0) return {};
  const all = gatherGrains(config.id, grainsConfig(config));
  return Object.fromEntries(Object.entries(all).filter(([name]) => config.autosign_grains.includes(name)));
}

function grainsConfig(config: MinionConfig): ValueMap {
  const { grains, master, id } = config;
  return { id, master: [...master], grains };
}
