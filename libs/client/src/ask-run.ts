/**
 * A runner's caller: whoever works on it says every second that it is there. When that stops, the same signed request is sent
 * once more; a runner that has begun it is not run again, and what became of it is unknown.
 */
import type { AskFailure, Question, SealedBus } from '@natrium/bus';
import { err, ok, type Result } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

type Ran = Body<typeof contracts.ran>;

const SILENT_MS = 3000;
const UNKNOWN = {
  code: 'no_runner_available',
  sentence: 'interrupted, outcome unknown: the master lost the run on its way; it is not run again',
} as const;

export async function askRun(
  bus: SealedBus,
  question: Question<typeof contracts.runner>,
  patienceMs: number,
): Promise<Result<Ran, AskFailure>> {
  const first = await once(bus, question, Math.min(SILENT_MS, patienceMs));
  if (first.ok || first.error !== 'timeout') return first;
  const second = await once(bus, question, Math.max(SILENT_MS, patienceMs - SILENT_MS));
  const wasBegun = second.ok && second.value.refusal?.code === 'already_ran';
  return wasBegun ? ok({ refusal: UNKNOWN, jid: second.value.jid, outcome: null }) : second;
}

function once(
  bus: SealedBus,
  question: Question<typeof contracts.runner>,
  silentMs: number,
): Promise<Result<Ran, AskFailure>> {
  return new Promise((resolve) => {
    bus.converse(question, contracts.ran, silentMs, {
      onAnswer: (ran) => {
        if (isAlive(ran)) return 'more';
        resolve(ok(ran));
        return 'done';
      },
      onFailure: (failure) => {
        resolve(err(failure));
      },
    });
  });
}

/** Nothing has come of it yet, and somebody works on it. */
function isAlive({ refusal, jid, outcome }: Ran): boolean {
  return refusal === null && outcome === null && jid === '';
}
