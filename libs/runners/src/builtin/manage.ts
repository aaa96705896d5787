/**
 * `manage.*`: which minions are there.
 *
 * Up is who answers the gateway's presence question, down the other accepted ones: no job is published for it, and whom the broker
 * does not know is not waited for. Only `manage.versions` asks the minions themselves.
 */
import { isTrue, pyStr, type Value, type ValueMap } from '@natrium/model';
import { defineModule, ExecutionError, type Reply, SALT_VERSION, secondsOf, unanswered } from '@natrium/modules';
import { publishAsk } from '../publish-ask.js';
import { notHere } from '../not-here.js';
import type { RunnerContext } from '../runner-context.js';
import { runner } from '../runner-registry.js';
import { sortedIgnoringCase } from '../sorted-ids.js';
import { TARGET_PARAMS, type TargetArguments, targetOf } from '../target.js';
import { groupVersions } from '../version-groups.js';

/** What is left of a run's time for its answer. */
const ANSWER_SECONDS = 1;

/** As in Salt, both are added: how long a connected minion may be silent before it counts as down. */
const WAITS = [
  {
    name: 'timeout',
    type: 'any',
    default: null,
    doc: 'Seconds that a connected minion may be silent, beside gather_job_timeout; None: as the master is set.',
  },
  { name: 'gather_job_timeout', type: 'any', default: null, doc: 'As timeout: both are added.' },
] as const;
const SUBSET = [
  { name: 'subset', type: 'list', default: [], doc: 'Only ids of this list.' },
  { name: 'show_ip', type: 'bool', default: false, doc: 'Refused: the master does not see addresses of minions.' },
  ...TARGET_PARAMS,
] as const;

/** First, as in Salt: `manage.down False 'web*'`. */
const REMOVE_KEYS = {
  name: 'removekeys',
  type: 'bool',
  default: false,
  doc: 'Refused: who is away for a moment keeps its key.',
} as const;

const INSTALLS = 'it would install software on other hosts, and Natrium runs commands on its own minions only';
const KEYS = 'a key is accepted by its fingerprint, with natrium-key -a or the wheel key.accept';

const LONGEST_VERSION = 256;

/** Salt has many names for the same two lists. */
function live(doc: string, which: keyof Status) {
  return runner(
    { doc, params: SUBSET, returns: 'a list of ids' },
    async ({ subset, show_ip: showsIp, ...of }, context) => {
      if (showsIp) {
        throw new ExecutionError('minions connect to the broker, so the master sees no address of theirs: no show_ip');
      }
      const ids = (await status(of, context))[which];
      // Salt sorts who is there by their characters, and who is not as it sorts keys.
      return inSubset(which === 'up' ? ids : sortedIgnoringCase(ids), subset.map(pyStr));
    },
  );
}

export const manageModule = defineModule('manage', {
  status: runner(
    {
      doc: 'The minions that are up and those that are down.',
      params: [{ name: 'output', type: 'bool', default: true, doc: 'Not needed.' }, ...TARGET_PARAMS, ...WAITS],
      returns: 'a map with `up` and `down`',
      examples: ['manage.status'],
    },
    async (of, context) => ({ ...(await status(of, context, silentSeconds(of, context))) }),
  ),
  up: runner(
    {
      doc: 'The minions that are up.',
      params: [...TARGET_PARAMS, ...WAITS],
      examples: ['manage.up', "manage.up 'web*'"],
    },
    async (of, context) => (await status(of, context, silentSeconds(of, context))).up,
  ),
  down: runner(
    {
      doc: 'The accepted minions that are not up.',
      params: [REMOVE_KEYS, ...TARGET_PARAMS, ...WAITS],
      examples: ['manage.down', "manage.down tgt='web*'"],
    },
    async ({ removekeys, ...of }, context) => {
      if (removekeys) {
        throw new ExecutionError(
          'manage.down removes no keys (removekeys=True): natrium-key -d does, of named minions',
        );
      }
      return (await status(of, context, silentSeconds(of, context))).down;
    },
  ),
  present: live('The minions that are connected now.', 'up'),
  not_present: live('The accepted minions that are not connected now.', 'down'),
  list_state: live('The same as manage.present.', 'up'),
  list_not_state: live('The same as manage.not_present.', 'down'),
  alived: live('The same as manage.present.', 'up'),
  not_alived: live('The same as manage.not_present.', 'down'),
  joined: live('The same as manage.present.', 'up'),
  not_joined: live('The same as manage.not_present.', 'down'),
  allowed: live('The same as manage.present.', 'up'),
  not_allowed: live('The same as manage.not_present.', 'down'),
  reaped: live('The same as manage.present, as in Salt.', 'up'),
  not_reaped: live('The same as manage.not_present, as in Salt.', 'down'),
  bootstrap: notHere(INSTALLS, 'manage.bootstrap'),
  bootstrap_psexec: notHere(INSTALLS, 'manage.bootstrap_psexec'),
  safe_accept: notHere(KEYS, 'manage.safe_accept'),
  key_regen: notHere('a minion makes its own key, and nobody makes it throw that away', 'manage.key_regen'),
  versions: runner(
    {
      doc: 'The versions of all minions, compared with that of the master.',
      returns:
        'a map with `Master`, `Up to date`, `Minion requires update`, `Minion newer than master`, `Minion offline`',
      examples: ['manage.versions'],
      grants: ['test.version'],
    },
    (_, context) => versions(context),
  ),
});

interface Status {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

interface Waits {
  readonly timeout: Value;
  readonly gather_job_timeout: Value;
}

function silentSeconds(waits: Waits, { host: { config }, seconds }: RunnerContext): number {
  const { timeout = null, gather_job_timeout = null } = config;
  // Salt takes 0, as all that is empty, for what was not said.
  const isSaid = isTrue(waits.timeout) || isTrue(waits.gather_job_timeout);
  const said = (own: Value, set: Value) => secondsOf(isTrue(own) ? own : set);
  const silent = said(waits.timeout, timeout) + said(waits.gather_job_timeout, gather_job_timeout);
  // Whoever wants it sooner, as with `natrium-run -t 4`, wants an answer: of whom nothing was heard by then is down.
  return isSaid ? silent : Math.min(silent, Math.max(1, seconds - ANSWER_SECONDS));
}

async function status(of: TargetArguments, { master }: RunnerContext, silent?: number): Promise<Status> {
  const [{ accepted }, connected] = await Promise.all([master.inventory(targetOf(of)), master.connected(silent)]);
  const live = new Set(connected);
  const sorted = [...new Set(accepted)].sort();
  return { up: sorted.filter((id) => live.has(id)), down: sorted.filter((id) => !live.has(id)) };
}

function inSubset(ids: readonly string[], subset: readonly string[]): readonly string[] {
  return subset.length === 0 ? ids : ids.filter((id) => subset.includes(id));
}

async function versions({ master, host }: RunnerContext): Promise<Reply | ValueMap> {
  const { accepted } = await master.inventory();
  const answer = await master.publish(publishAsk({ tgt: '*', fun: 'test.version', arg: [], tgtType: 'glob' }, host));
  if (answer.type !== 'answered') return unanswered('test.version', answer);
  const told = Object.entries(answer.returns).flatMap(([id, { ret, retcode }]) =>
    // Who failed to tell it counts as offline, as in Salt; so does who tells so much that there is no room for the others.
    retcode === 0 && typeof ret === 'string' && ret.length <= LONGEST_VERSION ? [[id, ret] as const] : [],
  );
  return groupVersions(SALT_VERSION, new Map(told), accepted);
}
