/** A Docker engine of this test's own: in a network namespace with no way out, its data in a folder that goes with it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ran, runProgram } from '../support/run-program.js';
import { inRoot } from '../support/places.js';
import { composePlugin, makeBases, requireEngine } from './parts.js';

const START_TRIES = 100;
const TRY_MS = 200;
const LONG_MS = 240_000;
/** Images were not built in four minutes on two cores that others kept busy. */
const BUILD_MS = 900_000;
const DOCKER = '/usr/bin/docker';

export class Engine {
  readonly #namespace = `nt-${String(process.pid)}`;
  #daemon: ChildProcess | undefined;

  constructor(
    readonly folder: string,
    /** Of docker-compose: which files, which project. */
    public project: readonly string[],
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    requireEngine();
    const plugins = join(this.folder, 'cfg', 'cli-plugins');
    mkdirSync(plugins, { recursive: true });
    copyFileSync(await composePlugin(), join(plugins, 'docker-compose'));
    execFileSync('ip', ['netns', 'add', this.#namespace]);
    execFileSync('nsenter', [this.#net, 'ip', 'link', 'set', 'lo', 'up']);
    const log = openSync(join(this.folder, 'dockerd.log'), 'a');
    const words = [
      ...['--data-root', join(this.folder, 'data'), '--exec-root', join(this.folder, 'exec')],
      ...['--pidfile', join(this.folder, 'dockerd.pid'), '-H', this.#socket, '--storage-driver', 'overlay2'],
      ...['--bip', '172.30.0.1/24', '--default-address-pool', 'base=172.30.0.0/16,size=24'],
    ];
    this.#daemon = spawn('nsenter', [this.#net, 'dockerd', ...words], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    await this.#answers();
  }

  /** Base images by the names that the Dockerfile and the compose file use. */
  importBases(): void {
    for (const [tag, { root, changes }] of makeBases(join(this.folder, 'bases'))) {
      const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1 << 30 });
      execFileSync(DOCKER, ['import', ...changes.flatMap((change) => ['--change', change]), '-', tag], {
        env: this.#env(),
        input: tar,
        stdio: ['pipe', 'ignore', 'inherit'],
      });
    }
  }

  /** @throws {Error} With what it said, when it fails. */
  async compose(...words: readonly string[]): Promise<string> {
    return this.docker('compose', ...this.project, ...words);
  }

  async docker(...words: readonly string[]): Promise<string> {
    const ran = await this.tryDocker(words, BUILD_MS);
    if (ran.code !== 0) throw new Error(`docker ${words.join(' ')}: ${(ran.stderr || ran.stdout).trim()}`);
    return ran.stdout;
  }

  tryDocker(words: readonly string[], timeoutMs = LONG_MS): Promise<Ran> {
    return runProgram(DOCKER, words, { env: this.#own(), cwd: inRoot(), timeoutMs });
  }

  /** A program in a container that is spoken with while it runs. */
  attach(container: string, words: readonly string[]): ChildProcess {
    return spawn(DOCKER, ['exec', '-i', container, ...words], { env: this.#env(), stdio: ['pipe', 'pipe', 'inherit'] });
  }

  /** What a container has printed and prints; ended by whoever asked for it. */
  followLog(container: string): ChildProcess {
    return spawn(DOCKER, ['logs', '-f', container], { env: this.#env(), stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Asks a published port as an image's own health check would: tells whether it answers with 200. */
  async reaches(url: string): Promise<boolean> {
    const words = [this.#net, process.execPath, inRoot('containers/check.mjs'), url];
    return (await runProgram('nsenter', words, { timeoutMs: LONG_MS })).code === 0;
  }

  /** The one container of a service that has one, or the first of many. */
  async container(service: string): Promise<string> {
    const [id] = await this.containers(service);
    if (id === undefined) throw new Error(`there is no container of ${service}`);
    return id;
  }

  /** The containers of a service, by age. */
  async containers(service: string): Promise<readonly string[]> {
    const said = await this.compose('--profile', 'sink', 'ps', '-a', '-q', service);
    return said.split('\n').filter((id) => id !== '');
  }

  /** As a crash: the engine starts it again, which it does not for what it was told to kill. */
  async crash(container: string): Promise<void> {
    const pid = await this.pidOf(container);
    if (pid > 1) process.kill(pid, 'SIGKILL');
  }

  /** Of its first process, as this machine counts; 0 when it does not run. */
  async pidOf(container: string): Promise<number> {
    return Number(await this.docker('inspect', '-f', '{{.State.Pid}}', container));
  }

  /**
   * All containers of the project are gone when this comes back. A network may stay until the engine ends: of a
   * container that was killed the engine now and then loses count (moby/moby#42119), and takes its network for used.
   */
  async down(): Promise<void> {
    const ran = await this.tryDocker(
      ['compose', ...this.project, '--profile', 'sink', 'down', '-v', '-t', '5'],
      BUILD_MS,
    );
    if (ran.code === 0) return;
    const said = (ran.stderr || ran.stdout).trim();
    const left = await this.compose('--profile', 'sink', 'ps', '-a', '-q');
    if (left.trim() !== '' || !said.includes('has active endpoints')) throw new Error(`docker compose down: ${said}`);
    process.stderr.write(
      `test:compose: the engine keeps a network that nothing is in: ${said.split('\n').at(-1) ?? ''}\n`,
    );
  }

  /** Nothing of it is left when this comes back. */
  async stop(): Promise<void> {
    await this.tryDocker(['compose', ...this.project, '--profile', 'sink', 'kill']).catch(() => undefined);
    await this.tryDocker(['compose', ...this.project, '--profile', 'sink', 'down', '-v', '-t', '1']).catch(
      () => undefined,
    );
    const daemon = this.#daemon;
    if (daemon !== undefined && daemon.exitCode === null) {
      const ended = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill('SIGTERM');
      await ended;
    }
    try {
      execFileSync('ip', ['netns', 'delete', this.#namespace], { stdio: 'ignore' });
    } catch {
      // It was not made.
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    for (let attempt = 0; attempt < START_TRIES; attempt += 1) {
      if (this.#daemon?.exitCode !== null) break;
      if ((await this.tryDocker(['version'])).code === 0) return;
      await pause(TRY_MS);
    }
    throw new Error(`dockerd did not start; its log is ${this.folder}/dockerd.log`);
  }

  get #net(): string {
    return `--net=/run/netns/${this.#namespace}`;
  }

  get #socket(): string {
    return `unix://${join(this.folder, 'docker.sock')}`;
  }

  #own(): Readonly<Record<string, string>> {
    // The older builder: the newer one is a plugin that Debian's engine does not bring.
    return {
      DOCKER_HOST: this.#socket,
      DOCKER_CONFIG: join(this.folder, 'cfg'),
      DOCKER_BUILDKIT: '0',
      ...this.settings,
    };
  }

  #env(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.#own() };
  }
}
