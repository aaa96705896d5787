/** One minion that asks its peers all the while, through the agent of its container. */
import { setTimeout as pause } from 'node:timers/promises';
import { isInterrupted } from '../drills/load.js';
import type { Engine } from './engine.js';
import type { ToldJob } from './load.js';

const LEDGER = '/var/lib/natrium/ledger';
const EACH_MS = 500;

export class PeerLoad {
  readonly jobs: ToldJob[] = [];
  #over = false;
  #running: Promise<void> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly minion: string,
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#over; n += 1) {
      await this.#ask(`peer${String(n)}`);
      await pause(EACH_MS);
    }
  }

  async #ask(word: string): Promise<void> {
    const began = performance.now();
    const call = ['natrium-call', '--out', 'json', 'publish.publish', '*', 'file.append', `[${LEDGER}, ${word}]`];
    const { stdout, code } = await this.engine.tryDocker(['exec', this.minion, ...call], 60_000);
    const heard = heardIn(stdout);
    this.jobs.push({
      word,
      heard: Object.fromEntries(Object.keys(heard).map((id) => [id, 1])),
      interrupted: Object.keys(heard).filter((id) => isInterrupted(heard[id])),
      absent: 0,
      tookMs: performance.now() - began,
      ...(code === 0 || Object.keys(heard).length > 0 ? {} : { refusal: 'master_unreachable' }),
    });
  }
}

function heardIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const { local } = JSON.parse(text) as { local?: unknown };
    return typeof local === 'object' && local !== null ? { ...local } : {};
  } catch {
    return {};
  }
}
