/**
 * `jobs.*`: what was asked of minions and what came back, from the job cache.
 *
 * The shapes are Salt's. Which jobs a caller may read is the port's to decide; nothing is published.
 */
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import { defineModule, InvocationError, reply, type Reply } from '@natrium/modules';
import { globsOf } from '../job-filter.js';
import { lastRun, latestJobs, listJobs } from '../job-search.js';
import { activeView, detailView, filterView, listView, lookupView, returnsView } from '../job-views.js';
import { notHere } from '../not-here.js';
import type { JobPart } from '../runner-context.js';
import { runner } from '../runner-registry.js';

const JID = { name: 'jid', type: 'str', doc: 'Id of the job.' } as const;
const SOURCE = {
  name: 'ext_source',
  type: 'any',
  default: null,
  doc: 'There is one job cache, and no other source to read: any is refused.',
} as const;
const PROGRESS = {
  name: 'display_progress',
  type: 'bool',
  default: false,
  doc: 'Taken from scripts written for Salt; there is no progress to tell.',
} as const;
const MINIONS = {
  name: 'minions',
  type: 'any',
  default: null,
  doc: 'Only these minions: globs, as a list or with commas. For a job whose returns are too large for one message.',
} as const;
const RUNS =
  'each runner-service knows of its own runs alone; what a run answered is found by its jid, with jobs.lookup_jid';
const OUTPUTTER = { name: 'outputter', type: 'any', default: null, doc: 'How to print the jobs.' } as const;

export const jobsModule = defineModule('jobs', {
  list_jobs: runner(
    {
      doc: 'The jobs in the job cache.',
      params: [
        SOURCE,
        OUTPUTTER,
        {
          name: 'search_metadata',
          type: 'any',
          default: null,
          doc: 'Only jobs with one of these keys and its value in their metadata.',
        },
        {
          name: 'search_function',
          type: 'any',
          default: null,
          doc: 'Only these functions: globs, as a list or with commas.',
        },
        {
          name: 'search_target',
          type: 'any',
          default: null,
          doc: 'Only these targets: globs, as a list or with commas.',
        },
        {
          name: 'start_time',
          type: 'str',
          default: '',
          doc: 'Only jobs from then on, in UTC: a date and time as Salt reads them, a jid, or `2h`, `3d` back from now. On a command line a clock without a date is a number of YAML: quote it twice.',
        },
        { name: 'end_time', type: 'str', default: '', doc: 'Only jobs until then, that moment included.' },
        PROGRESS,
      ],
      returns: 'a map by jid',
      examples: ['jobs.list_jobs', "jobs.list_jobs search_function='test.*,pkg.*'", "jobs.list_jobs start_time='2h'"],
    },
    async ({ ext_source, outputter, ...search }, { master }) => {
      refuseSource(ext_source);
      return shownWith(outputter, listView(await listJobs(master.jobs, search, Date.now())));
    },
  ),
  list_jobs_filter: runner(
    {
      doc: 'The latest jobs in the job cache.',
      params: [
        { name: 'count', type: 'int', doc: 'How many.' },
        { name: 'filter_find_job', type: 'bool', default: true, doc: 'Leave saltutil.find_job out.' },
        SOURCE,
        OUTPUTTER,
        PROGRESS,
      ],
      returns: 'a list of jobs, the oldest first; each names its `JID`',
      examples: ['jobs.list_jobs_filter 50', 'jobs.list_jobs_filter 100 filter_find_job=False'],
    },
    async ({ count, filter_find_job, ext_source, outputter }, { master }) => {
      refuseSource(ext_source);
      return shownWith(outputter, filterView(await latestJobs(master.jobs, count, filter_find_job)));
    },
  ),
  list_job: runner(
    {
      doc: 'One job with all its returns.',
      params: [
        JID,
        SOURCE,
        PROGRESS,
        MINIONS,
        {
          name: 'partial',
          type: 'bool',
          default: false,
          doc: 'Where the returns are too large for one message: show as many as fit, and under `Left` the minions of the others. Without it such a job is refused.',
        },
      ],
      examples: ['jobs.list_job 20261120112404639750', "jobs.list_job 20261120112404639750 minions='web*'"],
    },
    async ({ jid, ext_source, minions, partial }, { master }) => {
      refuseSource(ext_source);
      return detailView(jid, await master.jobs.get(jid, { ...partOf(minions), ...(partial ? { partial } : {}) }));
    },
  ),
  print_job: runner(
    {
      doc: 'One job with all its returns, under its jid.',
      params: [JID, SOURCE, MINIONS],
      examples: ['jobs.print_job 20261120112404639750'],
    },
    async ({ jid, ext_source, minions }, { master }) => {
      refuseSource(ext_source);
      return printed(jid, detailView(jid, await master.jobs.get(jid, partOf(minions))));
    },
  ),
  lookup_jid: runner(
    {
      doc: 'What the minions returned to a job.',
      params: [
        JID,
        SOURCE,
        { name: 'returned', type: 'bool', default: true, doc: 'Show the returns.' },
        { name: 'missing', type: 'bool', default: false, doc: 'Show who has not returned.' },
        PROGRESS,
        MINIONS,
      ],
      returns: 'a map by minion',
      examples: [
        'jobs.lookup_jid 20261120112404639750',
        'jobs.lookup_jid 20261120112404639750 missing=True',
        "jobs.lookup_jid 20261120112404639750 minions='web1,db*'",
      ],
    },
    async ({ jid, ext_source, returned, missing, minions }, { master }) => {
      refuseSource(ext_source);
      const job = await master.jobs.get(jid, { ...partOf(minions), ...(returned ? {} : WITHOUT_VALUES) });
      const { value, out } = lookupView(job, { returned, missing });
      return out === undefined ? value : reply(value, { out });
    },
  ),
  active: runner(
    {
      doc: 'The jobs that minions still work on.',
      params: [PROGRESS],
      returns: 'a map by jid',
      examples: ['jobs.active'],
    },
    async (_, { master }) => activeView(await master.jobs.active()),
  ),
  last_run: runner(
    {
      doc: 'The latest job, of a function or of a target where one is given.',
      params: [
        SOURCE,
        OUTPUTTER,
        {
          name: 'metadata',
          type: 'any',
          default: null,
          doc: 'Only a job with one of these keys and its value in its metadata.',
        },
        { name: 'function', type: 'any', default: null, doc: 'Globs, as a list or with commas.' },
        { name: 'target', type: 'any', default: null, doc: 'Globs, as a list or with commas.' },
        PROGRESS,
      ],
      returns: 'the job as jobs.print_job shows it; False when there is none',
      examples: ['jobs.last_run', 'jobs.last_run function=test.ping'],
    },
    async ({ ext_source, outputter, metadata, function: fun, target }, { master }): Promise<Reply | Value> => {
      refuseSource(ext_source);
      const last = await lastRun(master.jobs, { function: fun, target, metadata });
      if (last === undefined) return false;
      return shownWith(outputter, printed(last.jid, detailView(last.jid, await master.jobs.get(last.jid))));
    },
  ),
  exit_success: runner(
    {
      doc: 'Tells of each minion of a job whether it returned something that is not false.',
      params: [JID, SOURCE],
      examples: ['jobs.exit_success 20261120112404639750'],
    },
    async ({ jid, ext_source }, { master }) => {
      refuseSource(ext_source);
      return returnsView(await master.jobs.get(jid, WITHOUT_VALUES));
    },
  ),
  master: notHere(RUNS, 'jobs.master'),
});

const WITHOUT_VALUES: JobPart = { values: false };

function partOf(minions: Value): JobPart {
  const globs = globsOf(minions);
  return globs === undefined ? {} : { minions: globs };
}

/** @throws {InvocationError} For any: a script that names one would read other jobs than it thinks. */
function refuseSource(source: Value): void {
  if (source === null || source === '') return;
  throw new InvocationError(
    `there is no other source of jobs than the job cache, and so no ext_source ${pyStr(source)}`,
  );
}

function shownWith(outputter: Value, value: Value): Reply | Value {
  return typeof outputter === 'string' && outputter !== '' ? reply(value, { out: outputter }) : value;
}

function printed(jid: string, job: ValueMap): ValueMap {
  return { [jid]: Object.fromEntries(Object.entries(job).filter(([key]) => key !== 'jid')) };
}
