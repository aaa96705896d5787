/**
 * A whole cluster as an operator starts it: the built `natriumctl up` as a process, in a folder of its own. `stop` ends every
 * process by its number.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentSocket } from './agent-socket.js';
import { BUILT } from './places.js';
import { type ProcessInfo, processesOf } from './processes.js';
import { type Ran, runProgram, type RunOptions } from './run-program.js';
import { UpProcess } from './up-process.js';

export interface ClusterOptions {
  readonly minions: readonly string[];
  /** The text of the master file. */
  readonly masterConfig: string;
  /** Processes of a service, when it is not one. */
  readonly replicas?: Readonly<Record<string, number>>;
  /** Whether the broker asks who comes; it does when it is left out. */
  readonly brokerAuth?: 'none';
  /** Grains that a minion's configuration gives it, by id. */
  readonly grains?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** More of a minion's configuration, by id. */
  readonly minionConfig?: Readonly<Record<string, string>>;
  readonly natsPort?: number;
  readonly tls?: boolean;
  /** Port of the HTTP API of the first gateway; the others follow. */
  readonly httpPort?: number;
  /** Of all its processes, the commands' too. */
  readonly env?: Readonly<Record<string, string>>;
  /** A state folder to make or take up again; it is not removed. */
  readonly folder?: string;
}

export interface Stopped {
  readonly code: number | null;
  /** Milliseconds from SIGINT to the end of `up`. */
  readonly ms: number;
  /** What `up` left alive, and had to be killed. */
  readonly left: readonly string[];
}

export type Command = 'natrium' | 'natrium-call' | 'natrium-run' | 'natrium-key';

/** How long a test may take that starts a cluster, or its hook: what is waited for in it gives up before, and says what did not come. */
export const START_MS = 180_000;

/** @throws {Error} When it is not ready in time; the message holds its last lines. */
export async function upCluster(options: ClusterOptions): Promise<UpCluster> {
  const cluster = new UpCluster(options);
  try {
    await cluster.ready;
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export class UpCluster {
  readonly folder: string;
  readonly #up: UpProcess;
  readonly #groups = new Set<number>();
  readonly #elsewhere = mkdtempSync(join(tmpdir(), 'nt-elsewhere-'));

  constructor(private readonly options: ClusterOptions) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'nt-up-'));
    for (const [id, own] of Object.entries(options.grains ?? {}))
      writeMore(this.folder, id, 'grains.conf', `grains: ${JSON.stringify(own)}\n`);
    for (const [id, own] of Object.entries(options.minionConfig ?? {})) writeMore(this.folder, id, 'own.conf', own);
    this.#up = new UpProcess(this.command('natriumctl'), this.#words(), 'up', options.env);
  }

  get master(): string {
    return join(this.folder, 'master');
  }

  minion(id: string): string {
    return join(this.folder, 'minions', id);
  }

  /** The broker's address, known from the moment that `up` has chosen its port. */
  get brokerUrl(): string {
    return `nats://127.0.0.1:${readFileSync(join(this.folder, 'broker', 'port'), 'utf8').trim()}`;
  }

  get upPid(): number {
    return this.#up.pid;
  }

  /** Everything that `up` and its children have said, line by line. */
  get lines(): readonly string[] {
    return this.#up.lines;
  }

  /** Resolves with the milliseconds from the start of `up` to its line `ready`. */
  get ready(): Promise<number> {
    return this.#up.ready;
  }

  /** The file of a built command. */
  command(name: string): string {
    return join(BUILT, 'cli', `${name}.mjs`);
  }

  natrium(...words: readonly string[]): Promise<Ran> {
    return this.#run('natrium', this.master, words);
  }

  run(...words: readonly string[]): Promise<Ran> {
    return this.#run('natrium-run', this.master, words);
  }

  key(...words: readonly string[]): Promise<Ran> {
    return this.#run('natrium-key', this.master, words);
  }

  /** A subcommand of `natriumctl`, with its words. */
  ctl(subcommand: string, ...words: readonly string[]): Promise<Ran> {
    const argv = [this.command('natriumctl'), subcommand, ...words, '-c', this.master];
    return runProgram(process.execPath, argv, this.#how);
  }

  /** `natrium-call` on a minion. */
  call(id: string, ...words: readonly string[]): Promise<Ran> {
    return this.#run('natrium-call', this.minion(id), words);
  }

  socket(id: string): Promise<AgentSocket> {
    return AgentSocket.open(join(this.minion(id), 'run', 'minion.sock'));
  }

  /** All its living processes, `up` first. */
  processes(): readonly ProcessInfo[] {
    const found = processesOf(this.folder, this.#groups);
    for (const { group } of found) this.#groups.add(group);
    return [...found].sort((a, b) => Number(b.name === 'up') - Number(a.name === 'up'));
  }

  /** @throws {Error} When there is no such process: an app, `nats-server`, or the id of a minion. */
  pidOf(name: string): number {
    const found = this.processes().find((one) => one.name === name);
    if (found === undefined) throw new Error(`no process ${name} of ${this.folder} is alive`);
    return found.pid;
  }

  kill(name: string, signal: NodeJS.Signals): void {
    process.kill(this.pidOf(name), signal);
  }

  /** Resolves with the exit code of `up`. */
  get ended(): Promise<number | null> {
    return this.#up.ended;
  }

  /** Ctrl-C, as in a terminal; then nothing of it is alive and its folder is gone. */
  async stop(): Promise<Stopped> {
    this.processes();
    const began = performance.now();
    const code = await this.#up.stop();
    const ms = performance.now() - began;
    const left = this.processes();
    for (const { pid } of left) killIfAlive(pid);
    rmSync(this.#elsewhere, { recursive: true, force: true });
    if (this.options.folder === undefined) rmSync(this.folder, { recursive: true, force: true });
    return { code, ms, left: left.map(({ name }) => name) };
  }

  #run(command: Command, configDir: string, words: readonly string[]): Promise<Ran> {
    return runProgram(process.execPath, [this.command(command), '-c', configDir, ...words], this.#how);
  }

  get #how(): RunOptions {
    return { cwd: this.#elsewhere, env: this.options.env ?? {} };
  }

  #words(): readonly string[] {
    const { minions, masterConfig, replicas = {}, brokerAuth, natsPort, tls, httpPort } = this.options;
    const file = join(this.#elsewhere, 'master');
    writeFileSync(file, masterConfig);
    const counts = Object.entries(replicas).map(([name, count]) => `${name}=${String(count)}`);
    return [
      ...['--state', this.folder, '--minions', minions.join(','), '--master-config', file],
      ...(counts.length === 0 ? [] : ['--replicas', counts.join(',')]),
      ...(brokerAuth === undefined ? [] : ['--broker-auth', brokerAuth]),
      ...(tls === true ? ['--tls'] : []),
      ...(natsPort === undefined ? [] : ['--nats-port', String(natsPort)]),
      ...(httpPort === undefined ? [] : ['--http-port', String(httpPort)]),
    ];
  }
}

function writeMore(folder: string, id: string, file: string, text: string): void {
  const place = join(folder, 'minions', id, 'minion.d');
  if (!existsSync(place)) mkdirSync(place, { recursive: true });
  writeFileSync(join(place, file), text);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}
