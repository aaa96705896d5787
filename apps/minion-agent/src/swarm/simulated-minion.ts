/** One minion of a swarm: an agent's own parts, but for its disk, its modules of the host and its socket. */
import { setTimeout as pause } from 'node:timers/promises';
import type { SwarmShare } from '@natrium/client';
import type { verifyGrant } from '@natrium/envelope';
import type { ValueMap } from '@natrium/model';
import type { CallContext, Registry } from '@natrium/modules';
import type { ComingIn } from '../identity/coming-in.js';
import { Execution } from '../execution/execution.js';
import { HostData } from '../host/host-data.js';
import { listenForJobs } from '../jobs/jobs.js';
import { type CameIn, LiveLink } from '../link/live-link.js';
import { Outbox } from '../jobs/outbox.js';
import { Standing } from '../identity/standing.js';
import { UserRenewal } from '../identity/user-renewal.js';
import { type Unstored, VolatileRecord, VolatileSpool } from './volatile.js';

const TRIES = 12;
const NO_RETURNERS = { hand: () => undefined };
const NEVER_STOPPING = { isStopping: false, during: <T>(work: () => Promise<T>) => work() };

/** What the minions of one process share. */
export interface Shared {
  readonly verifyGrant: typeof verifyGrant;
  readonly registry: Registry<CallContext>;
  readonly unstored: Unstored;
  readonly share: Pick<SwarmShare, 'answerDelayMs'>;
  grainsOf(id: string): ValueMap;
}

export class SimulatedMinion {
  private constructor(private readonly link: LiveLink) {}

  /** Resolves when the acl-service has its data and the address of its jobs. */
  static async begin(shared: Shared, about: ComingIn, came: CameIn): Promise<SimulatedMinion> {
    const { log } = about;
    const { id } = about.config;
    const link = new LiveLink(came);
    const data = new HostData(link, () => shared.grainsOf(id), log);
    const record = new VolatileRecord(() => link.clock.now());
    const spool = new VolatileSpool(shared.unstored);
    const execution = new Execution({ id, data, config: {}, master: undefined, registry: shared.registry });
    const outbox = new Outbox(link, spool, record, (cause) => {
      log.error({ err: cause }, `a return of ${id} could not be sent`);
    });
    link.whenBack(() => {
      outbox.brokerIsBack();
    });
    const standing = new Standing({ ...about, id, link }, () => {
      void data.grains().then(() => {
        outbox.sendSpooled();
      });
    });
    listenForJobs({
      id,
      link: came.link,
      record,
      spool,
      outbox,
      execution: delayed(execution, shared.share.answerDelayMs),
      data,
      standing,
      finishing: NEVER_STOPPING,
      returners: NO_RETURNERS,
      verifyGrant: shared.verifyGrant,
    });
    await link.transport.flush();
    await told(data);
    if (came.user !== undefined) new UserRenewal(link, log);
    return new SimulatedMinion(link);
  }

  /** Forgets what nobody could send again. */
  tidy(): void {
    this.link.bus.sealer.forgetEnded();
  }
}

/** An acl-service to which thousands come at once may take longer than one question waits. */
async function told(data: HostData): Promise<void> {
  for (let attempt = 1; attempt < TRIES; attempt += 1) if (await data.pillar()) return;
  await data.send();
}

type Runs = Pick<Execution, 'running' | 'run'>;

/** At work for so much longer, as whoever asks for its jobs is told. */
function delayed(execution: Runs, ms: number): Runs {
  if (ms === 0) return execution;
  const waiting = new Set<string>();
  return {
    running: () => [...waiting],
    run: async (request, grant) => {
      waiting.add(grant.jid);
      try {
        const outcome = await execution.run(request, grant);
        await pause(ms);
        return outcome;
      } finally {
        waiting.delete(grant.jid);
      }
    },
  };
}
