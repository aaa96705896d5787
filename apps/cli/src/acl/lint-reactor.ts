/**
 * What forged events could set off: each reaction with who can fire its tag, and whether `reactor_grants` let it run at all.
 *
 * A taken-over gateway can forge every event; a minion only what the bus takes from it, which is tried here with sample tags.
 */
import { minionTagProblem } from '@natrium/events';
import { compileReactor, type Reaction } from '@natrium/flow';
import type { Value } from '@natrium/model';
import type { Finding, PolicyView } from '@natrium/policy-tools';

const MINION = 'any-minion';
const SHELL = /^cmd\./;

/** @param rules The `reactor` section as it stands in the file. */
export function lintReactor(rules: Value, { policy }: PolicyView): readonly Finding[] {
  const { reactions, problems } = compileReactor(rules);
  return [
    ...problems.map(({ path, reason, mend }): Finding => {
      return { code: 'malformed', severity: 'problem', path, message: reason, mend };
    }),
    ...reactions.flatMap((reaction) => {
      const isNamed = policy.reactorGrants.some(({ callers }) => callers?.test(reaction.name) === true);
      return isNamed ? forgeable(reaction) : [neverRuns(reaction)];
    }),
  ];
}

function neverRuns({ name, path }: Reaction): Finding {
  return {
    code: 'never-matches',
    severity: 'warning',
    path,
    message: `no key of reactor_grants names '${name}': it is always refused`,
    mend: `add '${name}$' to reactor_grants`,
  };
}

function forgeable({ name, path, tag, matches, what, fun, values }: Reaction): readonly Finding[] {
  const call = `${what === 'job' ? 'local' : what === 'run' ? 'runner' : 'wheel'}.${fun}`;
  const told = values.length === 0 ? '' : ` with ${[...new Set(values)].join(', ')} as the event says it`;
  const witness = samplesOf(tag).find((sample) => matches(sample) && minionTagProblem(MINION, sample) === undefined);
  if (witness === undefined) {
    const message = `a gateway that is taken over can set off ${call}${told} (reaction ${name}); no minion can`;
    return [{ code: 'forged-event', severity: 'note', path, message }];
  }
  const shell = SHELL.test(fun) && values.length > 0 ? '; keep the event out of command lines' : '';
  return [
    {
      code: 'forged-event',
      severity: 'warning',
      path,
      message: `any minion can fire '${witness}' and set off ${call}${told} (reaction ${name})`,
      witness: [witness],
      mend: `react to tags under salt/, or grant only what every minion may have done${shell}`,
    },
  ];
}

/** Tags that the glob plainly means, and such as a minion may fire that it means besides. */
function samplesOf(glob: string): readonly string[] {
  const own = [`salt/minion/${MINION}/start`, `salt/beacon/${MINION}/load`, `salt/engine/${MINION}/any`];
  const fillings = ['x', MINION, 'start', ''];
  const filled = fillings.map((text) =>
    glob
      .replace(/\[!?([^\]])[^\]]*\]/g, '$1')
      .replaceAll('*', text)
      .replaceAll('?', 'x'),
  );
  const [first = MINION] = ['x', MINION].map((text) =>
    glob.replace('*', text).replaceAll('*', 'x').replaceAll('?', 'x'),
  );
  return [...own, ...filled, first, glob.replace('*', MINION).replaceAll('*', 'start'), 'minion_start'];
}
