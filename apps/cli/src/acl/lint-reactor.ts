/**
 * What forged events could set off: each reaction with who can fire its tag, and whether `reactor_grants` let it run at all.
 *
 * A taken-over gateway can forge every event; a minion only what the bus takes from it, which is tried here with sample tags;
 * whoever reaches the broker asks for a key, under an id of their choice;
 * whoever may use the HTTP API each hook; an account of `event_acl` what its globs name.
 */
import { minionTagProblem } from '@natrium/events';
import { compileReactor, isOfEvent, type Reaction, saidOf } from '@natrium/flow';
import { isList, isMap, type Value } from '@natrium/model';
import type { Finding, PolicyView } from '@natrium/policy-tools';
import { commonTag } from './common-tag.js';
import type { EventDoors } from './load-policy.js';

const MINION = 'any-minion';
const ASKED_FOR_A_KEY = 'salt/auth';
const SHELL = /^cmd\./;
/** Also without anything behind it. */
const HOOKS = ['salt/netapi/hook/*', 'salt/netapi/hook'];

/** Who can fire an event that sets a reaction off. */
interface Forger {
  readonly who: string;
  readonly witness: string;
  readonly mend: string;
}

/** @param rules The `reactor` section as it stands in the file. */
export function lintReactor(rules: Value, { policy }: PolicyView, doors: EventDoors): readonly Finding[] {
  const { reactions, problems } = compileReactor(rules);
  return [
    ...problems.map(({ path, reason, mend }): Finding => {
      return { code: 'malformed', severity: 'problem', path, message: reason, mend };
    }),
    ...reactions.flatMap((reaction) => {
      const isNamed = policy.reactorGrants.some(({ callers }) => callers?.test(reaction.name) === true);
      return isNamed ? forgeable(reaction, doors) : [neverRuns(reaction)];
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

function forgeable(reaction: Reaction, doors: EventDoors): readonly Finding[] {
  const { name, path, what, fun, values } = reaction;
  const call = `${what === 'job' ? 'local' : what === 'run' ? 'runner' : 'wheel'}.${fun}`;
  const told = values.length === 0 ? '' : ` with ${[...new Set(values)].join(', ')} as the event says it`;
  const all = [minions(reaction), strangers(reaction), hooks(reaction, doors), ...accounts(reaction, doors)];
  const forgers = all.filter((forger) => forger !== undefined);
  if (forgers.length === 0) {
    const message = `a gateway that is taken over can set off ${call}${told} (reaction ${name}); no minion can`;
    return [{ code: 'forged-event', severity: 'note', path, message }];
  }
  const shell = SHELL.test(fun) && values.length > 0 ? '; keep the event out of command lines' : '';
  return forgers.map(({ who, witness, mend }) => ({
    code: 'forged-event',
    severity: 'warning',
    path,
    message: `${who} can fire '${witness}' and set off ${call}${told} (reaction ${name})`,
    witness: [witness],
    mend: `${mend}${shell}`,
  }));
}

function minions({ tag, matches }: Reaction): Forger | undefined {
  const witness = samplesOf(tag).find((sample) => matches(sample) && minionTagProblem(MINION, sample) === undefined);
  // Below salt/ a minion fires under its own id only; what the data says is as free as ever.
  const safer =
    witness?.startsWith('salt/') === true
      ? 'the id in that tag is proved, and no other: name it as ${tag.2}'
      : 'react to tags under salt/';
  const mend = `${safer}, or grant only what every minion may have done`;
  return witness === undefined ? undefined : { who: 'any minion', witness, mend };
}

/** The id may also be one of a minion that was accepted long ago. */
function strangers(reaction: Reaction): Forger | undefined {
  if (!reaction.matches(ASKED_FOR_A_KEY)) return undefined;
  const isTarget = [reaction.tgt, ...saidOf(reaction, 'tgt')].some(isOfEvent);
  return {
    ...{ who: 'anybody who asks for a key, accepted or not,', witness: ASKED_FOR_A_KEY },
    mend: isTarget
      ? 'the id is theirs to choose, also that of another minion: write the target out, or react to salt/minion/*/start and name ${tag.2}'
      : 'grant only what anybody may have done',
  };
}

/** The address that a gateway is started with may open them as well; the files do not say so. */
function hooks({ tag }: Reaction, { http_port, rest_cherrypy }: EventDoors): Forger | undefined {
  const own = isMap(rest_cherrypy) ? rest_cherrypy : {};
  if (http_port === 0 && Object.keys(own).length === 0) return undefined;
  const witness = firstCommon(tag, HOOKS);
  if (witness === undefined) return undefined;
  return own['webhook_disable_auth'] === true
    ? {
        ...{ who: 'anybody who reaches the HTTP API, without a login,', witness },
        mend: 'leave webhook_disable_auth out, or grant only what anybody may have done',
      }
    : {
        ...{ who: 'every login of the HTTP API', witness },
        mend: 'grant only what everybody with a login may have done',
      };
}

function accounts({ tag }: Reaction, { event_acl }: EventDoors): readonly Forger[] {
  return Object.entries(isMap(event_acl) ? event_acl : {}).flatMap(([name, rule]) => {
    const witness = firstCommon(tag, firesOf(rule));
    if (witness === undefined) return [];
    const who = `by event_acl ${name.endsWith('%') ? 'group' : 'account'} ${name}`;
    return [{ who, witness, mend: 'let event_acl fire less, or grant only what these may have done' }];
  });
}

function firesOf(rule: Value): readonly string[] {
  const fire = isMap(rule) ? (rule['fire'] ?? []) : [];
  return (isList(fire) ? fire : [fire]).filter((glob) => typeof glob === 'string');
}

function firstCommon(tag: string, globs: readonly string[]): string | undefined {
  return globs.map((glob) => commonTag(tag, glob)).find((common) => common !== undefined);
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
