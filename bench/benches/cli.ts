/** What a person waits for: whole commands by the clock on the wall, beside Node doing nothing. */
import { spawn } from 'node:child_process';
import type { Bench, Run } from '../bench.js';
import { MINIONS } from '../cluster.js';
import { median } from '../figures.js';
import { command } from '../places.js';

const ROUNDS = 10;
const LIMIT_MS = 20_000;

const PROGRAMS = ['node', 'natrium', 'call', 'local'] as const;

/** Milliseconds from the start of the process. */
interface Times {
  /** Until it said something. */
  readonly first: number;
  readonly total: number;
}

export const cli: Bench = {
  name: 'cli',
  about: 'wall time of natrium (and its first output) and natrium-call beside node -e 0, median of ten',
  measure: async (run) => {
    const { master, minion } = await places(run);
    const programs = {
      node: ['-e', '0'],
      natrium: [command('natrium'), '-c', master, '*', 'test.ping'],
      call: [command('natrium-call'), '-c', minion, 'publish.publish', '*', 'test.ping'],
      local: [command('natrium-call'), '-c', minion, 'test.ping'],
    };
    const times: Record<(typeof PROGRAMS)[number], Times[]> = { node: [], natrium: [], call: [], local: [] };
    // The first of each warms the page cache and is not counted.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of PROGRAMS) {
        const one = await timesOf(programs[name], name === 'natrium' || name === 'call' ? MINIONS : []);
        if (round > 0) times[name].push(one);
      }
    }
    const total = (name: (typeof PROGRAMS)[number]) => median(times[name].map((one) => one.total));
    const first = median(times.natrium.map((one) => one.first));
    const bare = total('node');
    return [
      { metric: 'node -e 0', unit: 'ms', value: bare },
      { metric: "natrium '*' test.ping, first output (target 200)", unit: 'ms', value: first, raw: bare },
      { metric: "natrium '*' test.ping", unit: 'ms', value: total('natrium'), raw: bare },
      { metric: "natrium-call publish.publish '*' test.ping", unit: 'ms', value: total('call'), raw: bare },
      { metric: 'natrium-call test.ping', unit: 'ms', value: total('local'), raw: bare },
    ];
  },
};

async function places(run: Run): Promise<{ readonly master: string; readonly minion: string }> {
  const cluster = await run.cluster();
  return { master: cluster.master, minion: cluster.minion('a') };
}

/** @throws {Error} When the command fails, takes too long, or does not name every one of `ids`. */
function timesOf(args: readonly string[], ids: readonly string[]): Promise<Times> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { timeout: LIMIT_MS, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    let first = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said === '') first = performance.now() - began;
      said += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 && ids.every((id) => said.includes(id))) resolve({ first, total: performance.now() - began });
      else reject(new Error(`a command did not answer for every minion: ${said}`));
    });
  });
}
