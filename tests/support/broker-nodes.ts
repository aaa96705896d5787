/** A broker of several nodes, of which some may be started later. Each is a process of its own, ended with the test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../drills/program.js';
import { freePorts } from './free-port.js';
import { natsServer } from './places.js';

export class BrokerNodes {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-nodes-'));
  readonly #programs: Program[] = [];

  private constructor(
    private readonly first: number,
    private readonly count: number,
  ) {}

  static async make(count: number): Promise<BrokerNodes> {
    return new BrokerNodes(await freePorts(2 * count), count);
  }

  /** Of the first node, which is started before the others. */
  get url(): string {
    return `nats://127.0.0.1:${String(this.first)}`;
  }

  /** Starts the next node. */
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
  }

  /** It is started again. */
  killFirst(): void {
    this.#programs[0]?.signal('SIGKILL');
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
      `listen: "127.0.0.1:${String(this.first + node)}"`,
      `jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))}, sync_interval: always }`,
      ...(this.count === 1 ? [] : [this.#cluster(node)]),
      '',
    ].join('\n');
  }

  #cluster(node: number): string {
    const routes = Array.from({ length: this.count }, (_, n) => `"nats://127.0.0.1:${String(this.#routePort(n))}"`);
    return `cluster { name: nodes, listen: "127.0.0.1:${String(this.#routePort(node))}", routes: [${routes.join(', ')}] }`;
  }

  #routePort(node: number): number {
    return this.first + this.count + node;
  }
}
