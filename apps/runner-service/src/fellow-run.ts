/**
 * Asks another runner-service for a run that it has taken, on behalf of a caller whose gateway was lost and who asks again. That
 * one says each second that it works on it, and then what came of it.
 */
import type { RoleLink } from '@natrium/edge';
import { type Body, contracts } from '@natrium/wire';

type Ran = Body<typeof contracts.ran>;

/** One that says nothing for so long is stopped or cut off. */
const GONE_MS = 10_000;

/** @returns undefined when that instance is gone. */
export function askFellow(
  { bus, subjects, directory }: Pick<RoleLink, 'bus' | 'subjects' | 'directory'>,
  instance: string,
  run: Body<typeof contracts.run>,
): Promise<Ran | undefined> {
  const fellow = directory.instance('runner', instance);
  if (fellow === undefined) return Promise.resolve(undefined);
  const question = { contract: contracts.run, body: run, subject: subjects.svcRunRun(instance), to: () => [fellow] };
  return new Promise((resolve) => {
    bus.converse(question, contracts.ran, GONE_MS, {
      onAnswer: (ran) => {
        if (ran.refusal === null && ran.outcome === null) return 'more';
        resolve(ran);
        return 'done';
      },
      onFailure: () => {
        resolve(undefined);
      },
    });
  });
}
