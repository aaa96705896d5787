/** A broker of several nodes, of which some may be started later. Each is a process of its own, ended with the test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@natrium/process';
import { Program } from '../drills/program.js';
import { allHeard, type StartedNode } from './heard-nodes.js';
import { natsServer } from './places.js';

export class BrokerNodes {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-nodes-'));
  readonly #programs: Program[] = [];

  private constructor(
    private readonly first: number,
    private readonly count: number,
  ) {}

  static async make(count: number): Promise<BrokerNodes> {
    return new BrokerNodes(await freePort(3 * count), count);
  }

  /** Of the first node, which is started before the others. */
  get url(): string {
    return this.#url(0);
  }

  /** Starts the next node. Resolves when it and those before it hear each other. */
  async startOne(): Promise<void> {
    const node = this.#programs.length;
    const folder = join(this.folder, `n${String(node)}`);
    mkdirSync(folder);
    const file = join(folder, 'nats.conf');
    writeFileSync(file, this.#config(node, folder));
    const program = new Program({
      name: `n${String(node)}`,
      file: natsServer(),
      args: ['-c', file],
      cwd: folder,
      log: join(folder, 'log'),
      guarded: true,
    });
    this.#programs.push(program);
    await program.start();
    await allHeard(this.nodes);
  }

  /** Those that were started. */
  get nodes(): readonly StartedNode[] {
    return this.#programs.map((program, n) => ({
      name: program.name,
      url: this.#url(n),
      monitor: `http://127.0.0.1:${String(this.#httpPort(n))}`,
      kill: () => {
        program.signal('SIGKILL');
      },
    }));
  }

  /** It is started again. */
  killFirst(): void {
    this.#programs[0]?.signal('SIGKILL');
  }

  /** It stays down. */
  async endOne(name: string): Promise<void> {
    await this.#programs.find((program) => program.name === name)?.end();
  }

  /** @param ended What is to be done before its folder is removed. */
  async stop(ended: () => void = () => undefined): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end()));
    ended();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #config(node: number, folder: string): string {
    return [
      `server_name: n${String(node)}`,
      // So that a test can say where a stream of one replica is.
      `server_tags: ["n${String(node)}"]`,
      `listen: "127.0.0.1:${String(this.first + node)}"`,
      `http: "127.0.0.1:${String(this.#httpPort(node))}"`,
      `jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))}, sync_interval: always }`,
      ...(this.count === 1 ? [] : [this.#cluster(node)]),
      '',
    ].join('\n');
  }

  #cluster(node: number): string {
    // The first two found it by themselves: from 2.12 on whoever is named must be there before they have a leader.
    const named = Math.max(node + 1, 2);
    const routes = Array.from({ length: named }, (_, n) => `"nats://127.0.0.1:${String(this.#routePort(n))}"`);
    return `cluster { name: nodes, listen: "127.0.0.1:${String(this.#routePort(node))}", routes: [${routes.join(', ')}] }`;
  }

  #url(node: number): string {
    return `nats://127.0.0.1:${String(this.first + node)}`;
  }

  #httpPort(node: number): number {
    return this.first + 2 * this.count + node;
  }

  #routePort(node: number): number {
    return this.first + this.count + node;
  }
}
