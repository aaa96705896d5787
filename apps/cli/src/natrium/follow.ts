/** One job from its start to its end, as the report and the live line see it. */
import type { JobNews, Refusal } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { CTRL_C, INTERRUPTED, untilInterrupt } from '../common/interrupt.js';
import { refused } from '../common/refused.js';
import type { Io, MasterLink } from '../ports.js';
import type { JobReport } from './job-report.js';
import { LiveStatus } from './live-status.js';
import { unknownId } from './missing.js';

export interface FollowParts {
  readonly link: MasterLink;
  readonly report: JobReport;
  readonly io: Io;
  /** Draw a bar, also where stdout is no terminal. */
  readonly progress: boolean;
}

/** @returns the exit code when nothing more can come of it; undefined after the job's end, which the report holds then. */
export async function followJob(
  job: AsyncIterable<JobNews>,
  { report, io, progress }: FollowParts,
): Promise<number | undefined> {
  const live = new LiveStatus(io, progress);
  try {
    for await (const news of untilInterrupt(job, io)) {
      if (news === INTERRUPTED) return interrupted(report, live, io);
      if (news.type === 'refused') return lost(news.refusal, report, live, io);
      if (news.type === 'started') {
        if (!report.started(news)) return EXIT.noneMatched;
        live.started(news.minions, news.missing.map(unknownId));
      } else if (news.type === 'return') {
        live.returned(news.id);
        report.returned(news);
      } else {
        live.ended();
        report.missed(news.absent);
        return undefined;
      }
    }
  } finally {
    live.ended();
  }
  return masterLost(report, io);
}

function interrupted(report: JobReport, live: LiveStatus, io: Io): number {
  live.erase();
  io.err(`\n${CTRL_C}\n`);
  sayJid(report, io);
  return EXIT.interrupted;
}

/** Before the job's start it is a refusal; after it nobody answers any more, and the job goes on. */
function lost(why: Refusal, report: JobReport, live: LiveStatus, io: Io): number {
  live.erase();
  const exit = refused(why, io);
  sayJid(report, io);
  return exit;
}

function sayJid({ jid, lookUpHint }: JobReport, io: Io): void {
  if (jid !== '') io.err(`This job's jid is: ${jid}\n${lookUpHint}\n`);
}

function masterLost({ jid, lookUpHint }: JobReport, io: Io): number {
  const started = jid === '' ? 'before it answered' : `while job ${jid} was running`;
  io.err(`The connection to the master was lost ${started}.\n${jid === '' ? '' : `${lookUpHint}\n`}`);
  return EXIT.unavailable;
}
