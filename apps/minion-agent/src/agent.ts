/**
 * The life of an agent: identity, broker, hello, joining, data, jobs; and a clean end.
 *
 * It starts nothing before the cluster's root is the one that this host trusts. Spec: spec/envelope.md#join.
 */
import { join } from 'node:path';
import { identityAsker, type Link, MasterClient, peerPort } from '@natrium/client';
import { type MinionConfig, shownAddress, shownMinion } from '@natrium/config';
import { fingerprint, type Identity, sodiumBuild, sodiumReady } from '@natrium/envelope';
import { NextIdentity } from '@natrium/keystore';
import { gatherGrains, GrainsFile, type MasterPort, whichLoad } from '@natrium/modules';
import { tidyAtRest } from '@natrium/process';
import { openTracing } from '@natrium/tracing';
import type { ValueMap } from '@natrium/model';
import type { Logger } from 'pino';
import { listenForCalls } from './jobs/call-socket.js';
import { ClusterTrust } from './identity/cluster-trust.js';
import { type AboutHost, comeIn, forgetUser } from './identity/coming-in.js';
import { Epochs } from './identity/epochs.js';
import type { AgentEvents } from './events/agent-events.js';
import { Execution } from './execution/execution.js';
import { holdingBack } from './link/holding-back.js';
import { HostData, Untaken } from './host/host-data.js';
import { grainsSet, shownGrains } from './host/host-facts.js';
import { identityAtStart, keepName } from './identity/identity-at-start.js';
import { type JobParts, listenForJobs } from './jobs/jobs.js';
import { Kept } from './kept.js';
import { LiveLink } from './link/live-link.js';
import { Mine } from './host/mine.js';
import { ownModules } from './execution/own-modules.js';
import { loseWhenUnknown, Standing } from './identity/standing.js';
import { Succession } from './identity/succession.js';
import { UserRenewal } from './identity/user-renewal.js';

export interface Agent {
  readonly link: Link;
  /** Ends the epoch before its time. */
  newEpoch(): Promise<void>;
  /** Resolves when the broker or the master no longer knows this minion, with the word for it. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** @param keeping What outlives this agent, for the next one of this process; its own unless given. */
export async function startAgent(
  config: MinionConfig,
  log: Logger,
  signal: AbortSignal,
  keeping?: Kept,
): Promise<Agent> {
  await sodiumReady();
  const trust = new ClusterTrust(config, problemsTo(log));
  trust.pin(); // refuses before anything is sent when nothing says whom to trust
  const kept = keeping ?? new Kept(config, log);
  const { clock } = kept;
  clock.raiseFloor(trust.timeFloorMs);
  const traces = await openTraces(config, log);
  const { tracing } = traces;
  const about = { config, trust, clock, log, signal, grains: shownGrains(config, log), tracing };
  const identity = await identityAtStart(about, keyPath(config));
  const come = () => comeToLife({ about, identity, kept });
  try {
    // A cluster that has lost its data knows this minion no more, while the broker may know its user still.
    const agent = await come().catch((error: unknown) => {
      if (!(error instanceof Untaken)) throw error;
      log.warn(`${error.message}; joining again`);
      forgetUser(about);
      return come();
    });
    keepName(config, log);
    const stop = async () => {
      await agent.stop();
      if (keeping === undefined) kept.close();
      await traces.close();
    };
    return { ...agent, stop };
  } catch (error) {
    if (keeping === undefined) kept.close();
    throw error;
  }
}

interface Coming {
  readonly about: AboutHost;
  readonly identity: Identity;
  readonly kept: Kept;
}

async function comeToLife({ about, identity, kept }: Coming): Promise<Agent> {
  const came = await comeIn({ ...about, identity });
  try {
    return await begin({ about, link: new LiveLink(came), kept });
  } catch (error) {
    await came.transport.drain(); // an agent that does not come to life leaves nothing open
    throw error;
  }
}

function openTraces({ trace_endpoint: endpoint, trace_ratio: ratio, cluster, id }: MinionConfig, log: Logger) {
  const onProblem = (sentence: string) => {
    log.error(sentence);
  };
  return openTracing({ endpoint, ratio, cluster, service: 'minion', instance: id, onProblem });
}

interface Beginning extends Omit<Coming, 'identity'> {
  readonly link: LiveLink;
}

async function begin({ about, link, kept }: Beginning): Promise<Agent> {
  const { config, log, trust } = about;
  const { record, spool } = kept.files();
  const grainsFile = new GrainsFile(config.root_dir);
  const data = new HostData(link, gathering(config, grainsFile, log), log, () => void loseWhenUnknown(about, link));
  const events = await kept.events();
  const execution = executionOf(config, { link, kept, data, grainsFile, events });
  const outbox = kept.outboxOn(link, { record, spool });
  const own = await ownModules(config, execution, log);
  const returners = await kept.returners();
  execution.returners = () => returners.names;
  const closing = new AbortController();
  const living = { ...about, signal: AbortSignal.any([about.signal, closing.signal]) };
  const standing = new Standing({ ...living, id: config.id, link }, () => {
    void data.grains().then(() => {
      outbox.sendSpooled();
    });
  });
  const { finishing } = kept;
  const jobs = { id: config.id, record, spool, outbox: kept, execution, data, standing, returners, finishing };
  listenForJobs({ ...jobs, link: link.came.link });
  await link.transport.flush();
  await data.send().catch((error: unknown) => {
    data.stop();
    own.close();
    outbox.close();
    throw error;
  });
  outbox.sendSpooled();
  events.begin(link);
  const mine = mineOf(about, link, data, execution);
  const socket = await listenForCalls(join(config.sock_dir, 'minion.sock'), execution, finishing);
  const epochs = new Epochs(link, { epochMs: config.epoch_hours * 3_600_000, trust, data, log });
  const user = new UserRenewal(link, log);
  const succession = successionOf(living, link, jobs, { epochs, user });
  void succession.resume();
  const stopTidying = tidyAtRest([record, link], true);
  log.info({ libsodium: sodiumBuild() }, 'live');
  return {
    link,
    newEpoch: () => epochs.begin(),
    lost: link.lost,
    stop: async () => {
      closing.abort();
      epochs.stop();
      user.stop();
      stopTidying();
      own.close();
      mine.stop();
      data.stop();
      socket.close();
      outbox.close();
      events.rest();
      trust.keep(link);
      await succession.close();
      await link.transport.drain();
      await link.bus.close();
    },
  };
}

function gathering(config: MinionConfig, file: GrainsFile, log: Logger): (onFault: () => void) => ValueMap {
  const set = grainsSet(file, log);
  return (onFault) => gatherGrains(config.id, shownMinion(config), set(onFault));
}

interface ExecutionNeeds {
  readonly link: LiveLink;
  readonly kept: Kept;
  readonly data: HostData;
  readonly grainsFile: GrainsFile;
  readonly events: AgentEvents;
}

function executionOf(config: MinionConfig, { link, kept, data, grainsFile, events }: ExecutionNeeds): Execution {
  return new Execution({
    id: config.id,
    data,
    jobs: kept.jobs,
    loads: whichLoad(config),
    config: shownMinion(config),
    get fingerprint() {
      return fingerprint(link.identity.publicKey);
    },
    masterFingerprint: fingerprint(link.roles.chain[0]),
    grainsFile,
    master: masterOf(config, link),
    events: events.port,
  });
}

/** What is asked of the master is asked under one identity to its end. */
function masterOf(config: MinionConfig, link: LiveLink): MasterPort {
  const masters = config.nats.map(shownAddress);
  const port = peerPort(new MasterClient(identityAsker(link, 'up')), masters);
  return holdingBack({
    masters,
    publish: (ask) => link.steady(() => port.publish(ask)),
    runner: (ask) => link.steady(() => port.runner(ask)),
  });
}

/** With all that a change of identity touches. */
type AgentJobs = Omit<JobParts, 'link'> & {
  readonly data: HostData;
  readonly outbox: Kept;
  readonly execution: Execution;
};

/** Another identity for this minion, on demand. */
function successionOf(
  about: AboutHost,
  link: LiveLink,
  jobs: AgentJobs,
  { epochs, user }: { readonly epochs: Epochs; readonly user: UserRenewal },
): Succession {
  const succession = new Succession({
    about,
    files: new NextIdentity(keyPath(about.config)),
    live: link,
    data: jobs.data,
    hear: (next) => {
      listenForJobs({ ...jobs, link: next });
    },
    onChanged: () => {
      jobs.outbox.sendSpooled();
      epochs.follow();
      user.begin();
      void jobs.data.pillar();
    },
  });
  jobs.execution.identity = succession;
  return succession;
}

function keyPath({ pki_dir: folder }: MinionConfig): string {
  return join(folder, 'minion.key');
}

function mineOf({ config, log }: AboutHost, link: LiveLink, data: HostData, execution: Execution) {
  const mine = new Mine({
    link,
    log,
    functions: config.mine_functions,
    isEnabled: config.mine_enabled,
    intervalMinutes: config.mine_interval,
    pillar: data.currentPillar,
    run: (fun, args, call) => execution.within(fun, args, call),
  });
  execution.mine = mine;
  mine.start();
  return mine;
}

function problemsTo(log: Logger) {
  return (problem: string, cause?: unknown) => {
    log.error({ err: cause }, problem);
  };
}
