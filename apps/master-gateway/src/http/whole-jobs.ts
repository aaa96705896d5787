/**
 * Jobs whose returns do not fit into one message, for `GET /jobs/JID`. The caller was granted the run of `jobs.list_job` for this job, which
 * has told the beginning of it; all of it is read here, where the job cache is. Only one such job at a time is in the gateway's memory.
 */
import { isStoreFailure } from '@natrium/bus';
import { isMap, refusal, type Value, type ValueMap } from '@natrium/model';
import { InternalServerErrorException } from '@nestjs/common';
import { AtOnce } from '../at-once.js';
import { inMiB, MAX_ANSWER, sizeOf } from '../jobs/job-views.js';
import type { AnswerType } from './answers.js';
import { httpError } from './refused.js';

/** Bytes of returns. They are in the answer twice, as values several times as large; of YAML the whole text is made at once. */
const MOST: Readonly<Record<AnswerType, number>> = {
  'application/json': 32 << 20,
  'application/x-yaml': MAX_ANSWER,
};

interface Wanted {
  readonly jid: string;
  readonly type: AnswerType;
  /** The client is gone: nothing is read for it. */
  readonly isGone: () => boolean;
}

export class WholeJobs {
  readonly #one = new AtOnce(1);

  /** @param read One job as `jobs.list_job` tells it; null when it is not kept any more. */
  constructor(private readonly read: (jid: string) => Promise<Value>) {}

  /**
   * @param told What the run has told.
   * @param send Writes the job: `large` is one that no message carries, and the next of those waits for it.
   * @throws {HttpException} When it is too large for an answer of this type, no longer kept, or cannot be read now.
   */
  async tell(
    told: Value,
    { jid, type, isGone }: Wanted,
    send: (job: Value, size: 'small' | 'large') => Promise<void>,
  ): Promise<void> {
    if (!isMap(told) || told['Left'] === undefined) {
      await send(told, 'small');
      return;
    }
    const { Left: _, ...about } = told;
    await this.#one.run(async () => {
      if (!isGone()) await send({ ...about, Result: await this.#returns(jid, type) }, 'large');
    });
  }

  async #returns(jid: string, type: AnswerType): Promise<ValueMap> {
    const job = await this.read(jid).catch((cause: unknown) => {
      if (!isStoreFailure(cause)) throw cause;
      // As where the run could not read it.
      throw new InternalServerErrorException(`the job cannot be read now: ${cause.message}`, { cause });
    });
    const returns = isMap(job) ? job['Result'] : undefined;
    if (!isMap(returns)) throw httpError(refusal('bad_request', `the job ${jid} is not kept any more`));
    const bytes = Object.values(returns).reduce<number>((sum, one) => sum + sizeOf(one), 0);
    if (bytes > MOST[type]) throw httpError(refusal('bad_request', tooLarge(bytes, type)));
    return returns;
  }
}

function tooLarge(bytes: number, type: AnswerType): string {
  const json =
    type === 'application/json' ? '' : `for application/json, which holds ${inMiB(MOST['application/json'])}, or `;
  return `What was returned is ${inMiB(bytes)}, and an answer of ${type} holds ${inMiB(MOST[type])}: ask ${json}for some of the minions, with minions of the runner jobs.list_job`;
}
