/** The load that runs in the container `cli` (load.ts), from its start to what it tells at its end. */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Engine } from './engine.js';
import type { ToldJob } from './load.js';

const PROGRAM = '/opt/test/load.mjs';
const SHOWN = 200;
/** Of each minion: it is made here, for what is not there is not appended to. */
const LEDGER = '/var/lib/natrium/ledger';
/** An image need not have any other program. */
const MAKE = "require('node:fs').writeFileSync(process.argv[1], '', { flag: 'a' })";

export class RunningLoad {
  readonly #ended: Promise<unknown>;
  readonly #told: Promise<string>;

  private constructor(private readonly program: ChildProcess) {
    if (program.stdout === null) throw new Error('the load has no output');
    this.#ended = once(program, 'close');
    this.#told = text(program.stdout);
  }

  static async start(engine: Engine, minions: readonly string[], rate: number): Promise<RunningLoad> {
    for (const id of minions) await engine.docker('exec', id, 'node', '-e', MAKE, LEDGER);
    const words = ['load', minions.map((id) => id.slice(0, 12)).join(','), String(rate)];
    return new RunningLoad(engine.attach(await engine.container('cli'), ['node', PROGRAM, ...words]));
  }

  /** @throws {Error} When it ended by itself: what came after would have been done to a cluster at rest. */
  check(): void {
    if (this.program.exitCode !== null) throw new Error(`the load ended with ${String(this.program.exitCode)}`);
  }

  async stop(): Promise<readonly ToldJob[]> {
    this.program.stdin?.end('over\n');
    await this.#ended;
    return parsed(
      await this.#told,
      `the load, which ended with ${String(this.program.exitCode)},`,
    ) as readonly ToldJob[];
  }
}

/** The minions whose return is in the job cache, by the words of jobs. */
export async function storedReturns(
  engine: Engine,
  words: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const said = await engine.docker('exec', await engine.container('cli'), 'node', PROGRAM, 'stored', ...words);
  return parsed(said, 'the question for stored returns') as Readonly<Record<string, readonly string[]>>;
}

function parsed(said: string, who: string): unknown {
  try {
    return JSON.parse(said);
  } catch (cause) {
    const end = JSON.stringify(said.slice(-SHOWN));
    throw new Error(`${who} said ${String(said.length)} characters, the last of them ${end}`, { cause });
  }
}
