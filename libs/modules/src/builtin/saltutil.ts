/** `saltutil.*`: what this minion works on now, and what it and the master know of each other brought up to date. */
import { constants } from 'node:os';
import type { ValueMap } from '@natrium/model';
import type { CallContext, RefreshPort, RunningJob } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { signalNumber } from './signals.js';

const KWARGS = { kwargs: 'kwargs', doc: 'Salt’s other options; they change nothing here.' } as const;

const SAID = 'what was done; an empty text when there is no such job';

/** What Salt's sync_all tells of, in its order. */
const SYNCED = [
  ...['clouds', 'beacons', 'modules', 'states', 'sdb', 'grains', 'renderers', 'returners', 'output', 'utils'],
  ...['log_handlers', 'executors', 'proxymodules', 'engines', 'thorium', 'serializers', 'matchers'],
];

export const saltutilModule = defineModule('saltutil', {
  refresh_grains: fn(
    {
      doc: 'Gathers the grains anew and sends them to the master; new pillar comes back.',
      params: [KWARGS],
      returns: 'true when the master has taken them',
      examples: ['saltutil.refresh_grains'],
    },
    (_, context) => refreshOf(context).grains(),
  ),
  refresh_pillar: fn(
    {
      doc: 'Fetches the pillar of this minion from the master. The grains are gathered anew first, since they choose it.',
      params: [{ rest: 'args', doc: 'Salt’s wait, timeout and clean_cache, which change nothing here.' }, KWARGS],
      returns: 'true when it came',
      examples: ['saltutil.refresh_pillar'],
    },
    (_, context) => refreshOf(context).grains(),
  ),
  sync_all: fn(
    {
      doc: 'Answers that nothing was brought: no message brings code to a minion; your own modules are files in module_dirs.',
      params: [{ rest: 'args' }, KWARGS],
      returns: 'a map of empty lists, one for each kind',
      examples: ['saltutil.sync_all'],
    },
    () => Object.fromEntries(SYNCED.map((kind) => [kind, []])),
  ),
  ...nothingToSync([
    'sync_clouds',
    'sync_modules',
    'sync_returners',
    'sync_states',
    'sync_beacons',
    'sync_renderers',
    'sync_utils',
    'sync_output',
    'sync_outputters',
    'sync_log_handlers',
    'sync_pillar',
    'sync_matchers',
    'sync_executors',
    'sync_proxymodules',
    'sync_engines',
    'sync_sdb',
    'sync_thorium',
    'sync_serializers',
  ]),
  refresh_modules: already('Your own modules are loaded anew by themselves, whenever a file changes.'),
  refresh_beacons: already('There are no beacons here.'),
  refresh_matchers: already('There are no matchers to load.'),
  clear_cache: already('The agent keeps no files of a master, so there is nothing to clear.'),
  clear_job_cache: already('Jobs are kept on the master, for keep_jobs hours; there is nothing to clear here.'),
  find_cached_job: fn(
    {
      doc: 'A job of this minion that is over. Those are kept on the master: natrium-run jobs.lookup_jid JID.',
      params: [{ name: 'jid', type: 'str' }],
      returns: 'why there is none here',
      examples: ['saltutil.find_cached_job 20261120112404639750'],
    },
    ({ jid }) => {
      throw new ExecutionError(`jobs are kept on the master: natrium-run jobs.lookup_jid ${jid}`);
    },
  ),
  regen_keys: fn(
    {
      doc:
        'Gives this minion a new identity while it runs. The one that it has signs the new one, so nobody has to accept it; the ' +
        'old one is refused from then on. Jobs and their returns go on.',
      params: [],
      returns: 'the fingerprint of the new key',
      examples: ['saltutil.regen_keys'],
    },
    (_, { identity }) => {
      if (identity === undefined)
        throw new ExecutionError('only a running agent can change the identity of its minion');
      return identity.renew();
    },
  ),
  revoke_auth: refusing('a minion does not revoke itself: natrium-key -d on the master'),
  update: refusing('the agent does not update itself: use pkg.install'),
  sync_grains: fn(
    {
      doc: 'Refreshes the grains. There are no grains modules to bring to a minion, so the list of those is empty.',
      params: [{ rest: 'args' }, KWARGS],
      returns: 'an empty list',
      examples: ['saltutil.sync_grains'],
    },
    async (_, context) => {
      const taken = await refreshOf(context).grains();
      return reply([], { retcode: taken ? 0 : 1 });
    },
  ),
  running: fn({ doc: 'The jobs that run on this minion now.', examples: ['saltutil.running'] }, (_, context) =>
    running(context).map(shown),
  ),
  find_job: fn(
    {
      doc: 'The job with that id, if it runs on this minion now.',
      params: [{ name: 'jid', type: 'str' }],
      returns: 'the job, or an empty map',
      examples: ['saltutil.find_job 20261120112404639750'],
    },
    ({ jid }, context) =>
      running(context)
        .filter((job) => job.jid === jid)
        .map(shown)[0] ?? {},
  ),
  signal_job: fn(
    {
      doc: 'Sends a signal to a job that runs on this minion now: to the processes that it started, and their children.',
      params: [
        { name: 'jid', type: 'str' },
        { name: 'sig', type: 'any', doc: 'Number or name of the signal.' },
      ],
      returns: SAID,
      examples: ['saltutil.signal_job 20261120112404639750 15', 'saltutil.signal_job 20261120112404639750 SIGHUP'],
    },
    ({ jid, sig }, context) => signalled(context, jid, signalNumber(sig)),
  ),
  term_job: fn(
    {
      doc: 'Ends a job that runs on this minion now. Its processes have five seconds to end by themselves.',
      params: [{ name: 'jid', type: 'str' }],
      returns: SAID,
      examples: ['saltutil.term_job 20261120112404639750'],
    },
    ({ jid }, context) => signalled(context, jid, constants.signals.SIGTERM),
  ),
  kill_job: fn(
    {
      doc: 'Ends a job that runs on this minion now, and its processes, at once.',
      params: [{ name: 'jid', type: 'str' }],
      returns: SAID,
      examples: ['saltutil.kill_job 20261120112404639750'],
    },
    ({ jid }, context) => signalled(context, jid, constants.signals.SIGKILL),
  ),
  term_all_jobs: signallingAll('term', 'SIGTERM', 'Ends every job that runs on this minion now, as term_job does.'),
  kill_all_jobs: signallingAll('kill', 'SIGKILL', 'Ends every job that runs on this minion now, as kill_job does.'),
  is_running: fn(
    {
      doc: 'The jobs on this minion that run a function now.',
      params: [{ name: 'fun', type: 'str', doc: 'Function, as a glob.' }],
      examples: ["saltutil.is_running 'cmd.*'"],
    },
    ({ fun }, context) =>
      running(context)
        .filter((job) => [job.fun].flat().some((name) => matchesGlob(fun, name)))
        .map(shown),
  ),
});

function signallingAll(fun: string, name: 'SIGTERM' | 'SIGKILL', doc: string) {
  return fn(
    { doc, returns: 'a list of what was done with each', examples: [`saltutil.${fun}_all_jobs`] },
    (_, context) => running(context).map(({ jid }) => signalled(context, jid, constants.signals[name])),
  );
}

/** In Salt these bring code to a minion. Here no message does, so nothing is brought. */
function nothingToSync<N extends string>(names: readonly N[]) {
  const one = fn(
    {
      doc: 'Answers an empty list: no message brings code to a minion; your own modules are files in module_dirs.',
      params: [{ rest: 'args' }, KWARGS],
      returns: 'an empty list',
    },
    () => [],
  );
  return Object.fromEntries(names.map((name) => [name, one])) as Readonly<Record<N, typeof one>>;
}

function already(doc: string) {
  return fn({ doc, params: [{ rest: 'args' }, KWARGS], returns: 'true' }, () => true);
}

function refusing(sentence: string) {
  return fn({ doc: `Refuses: ${sentence}.`, params: [{ rest: 'args' }, KWARGS] }, () => {
    throw new ExecutionError(sentence);
  });
}

function refreshOf({ refresh }: CallContext): RefreshPort {
  if (refresh === undefined) throw new ExecutionError('there is no connection to a master');
  return refresh;
}

/** The job that asks is not among its own answers. */
function running({ jobs, jid }: CallContext): readonly RunningJob[] {
  return (jobs?.running() ?? []).filter((job) => job.jid !== jid);
}

function shown({ jid, fun, arg, tgt, tgtType, ret, user, pid }: RunningJob): ValueMap {
  return { jid, fun, arg, tgt, tgt_type: tgtType, ret, user, pid };
}

/** In Salt's words where Salt has any. The job that asks is none of those that it may end. */
function signalled({ jobs, jid: own }: CallContext, jid: string, signal: number): string {
  const sent = jid === own ? undefined : jobs?.send(jid, signal);
  switch (sent?.to) {
    case 'processes':
      return `Signal ${signal} sent to job ${jid} at pid ${sent.pids.join(', ')}`;
    case 'waiting':
      return `Job ${jid} ran in the agent itself, which ended its waiting (signal ${signal})`;
    case 'agent':
      return `Job ${jid} runs in the agent itself, where signal ${signal} means nothing: nothing was done`;
    case 'nobody':
    case undefined:
      return '';
  }
}
