/**
 * A run that another runner-service has taken, for a caller whose gateway was lost and who asks again: that one tells what comes of
 * it, and says each second that it works on it.
 */
import type { RoleLink } from '@natrium/edge';
import { type Body, contracts } from '@natrium/wire';

type Ran = Body<typeof contracts.ran>;

/** Whoever works on it and says nothing for so long is stopped or cut off. */
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
