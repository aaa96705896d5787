/** The process of a minion: `node main.mjs -c DIR`. */
import { setFlagsFromString } from 'node:v8';
import { brokerTlsProblem, loadMinionConfig, logOptions, pinoLevel, problemSentence } from '@natrium/config';
import { type FolderLock, type FolderUse, lockFolder, mendOf } from '@natrium/keystore';
import { beFrugal, lastingLog, programOptions, WAITING_LOG_BYTES, whenToldToStop } from '@natrium/process';
import { messageOf } from '@natrium/model';
import { removeLeftScripts } from '@natrium/modules';
import { pino } from 'pino';
import { type Agent, startAgent } from './agent.js';
import { Kept } from './kept.js';
import { accountProblem } from './host/own-account.js';

// Meant for this process's allocator, which has read them, and not for the commands that it runs.
for (const name of ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_'])
  Reflect.deleteProperty(process.env, name);

const { configDir } = programOptions('natrium-minion', 'The agent of a minion: runs the jobs that it is sent.', {});

// After its usage, which the build has it tell to keep what V8 compiles: with other flags V8 would not take that back.
beFrugal();
// Code that is compiled for good after an eighth of the usual calls is nearly all there after 1,000 jobs. V8 12 has no such
// flag: on the command line it would end the process.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=16384');

const loaded = loadMinionConfig(configDir);
if (!loaded.ok) {
  process.stderr.write(
    `natrium-minion: the configuration has problems\n${loaded.error.map(problemSentence).join('\n')}\n`,
  );
  process.exit(1);
}
const { config, reports } = loaded.value;
const output = lastingLog(pino.destination({ dest: 1, maxLength: WAITING_LOG_BYTES }));
const log = pino(logOptions(pinoLevel(config.log_level), { minion: config.id }, pino.stdSerializers.err), output);
for (const report of reports) log.warn(report);
const unusable = brokerTlsProblem(config);
const problem = accountProblem(config.user) ?? (unusable && problemSentence(unusable));
if (problem !== undefined) {
  process.stderr.write(`natrium-minion ${config.id}: ${problem}\n`);
  process.exit(1);
}

if (process.env['NATRIUM_SUPERVISED'] !== undefined) {
  // A supervisor that dies takes its agents with it.
  process.stdin.on('end', () => process.exit(0)).resume();
}

/** Two would each run every job, and write one another's record and spool away. */
const ONE_AGENT: FolderUse = {
  name: 'agent',
  program: 'natrium-minion',
  mend: 'end that one first, or give this one a cachedir of its own',
};

const kept = new Kept(config, log);
let lock: FolderLock | undefined;
const stopping = new AbortController();
let live: Agent | undefined;
const stopped = new Promise<undefined>((resolve) => {
  whenToldToStop((_, atOnce) => {
    void kept.finishing.finish(atOnce).then(() => {
      stopping.abort();
      // One that waits for the broker or for its key has nothing left to do.
      if (live === undefined) end(0);
      resolve(undefined);
    });
  });
});
process.on('SIGUSR2', () => void live?.newEpoch());

export const ended = run().then(
  () => end(0),
  (error: unknown) => {
    const mend = mendOf(error);
    process.stderr.write(`natrium-minion ${config.id}: ${messageOf(error)}${mend === undefined ? '' : `: ${mend}`}\n`);
    end(1);
  },
);

async function run(): Promise<void> {
  lock = await lockFolder(config.cachedir, ONE_AGENT);
  tidyUp();
  for (;;) {
    const agent = await startAgent(config, log, stopping.signal, kept);
    live = agent;
    if (process.connected) process.send?.({ ready: true });
    const why = await Promise.race([agent.lost, stopped]);
    await agent.stop();
    live = undefined;
    if (why === undefined || stopping.signal.aborted) return;
    log.error({ why }, 'the cluster no longer knows this minion; joining again');
  }
}

/** What one that was killed has left. */
function tidyUp(): void {
  try {
    removeLeftScripts();
  } catch (error) {
    log.warn({ err: error }, 'a script that a killed agent has left in /tmp cannot be removed');
  }
}

function end(code: number): never {
  kept.close();
  lock?.release();
  process.exit(code);
}
