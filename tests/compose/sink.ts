/** What the event-sink delivers: events that a minion fires, in the file and in the database that tests/compose/master names. */
import { until } from '@natrium/testing';
import type { Engine } from './engine.js';

const FILE = '/var/lib/natrium/events/compose.jsonl';
const QUERY = 'SELECT tag FROM salt_events';
const LONG_MS = 240_000;

export class Sink {
  readonly #fired: string[] = [];

  constructor(private readonly engine: Engine) {}

  /** Fires one event from a minion. @returns Its tag. */
  async fire(): Promise<string> {
    const tag = `compose/${String(this.#fired.length)}`;
    const minion = await this.engine.container('minion-agent');
    await until(`${tag} is taken`, async () => {
      const words = ['natrium-call', '--out', 'json', 'event.fire_master', '{"data": "a word"}', tag];
      const { stdout, code } = await this.engine.tryDocker(['exec', minion, ...words]);
      return code === 0 && stdout.includes('true');
    }, LONG_MS); // prettier-ignore
    this.#fired.push(tag);
    return tag;
  }

  /** Resolves when all that was fired stands in the file and in the database. @throws {Error} When the database has one twice. */
  async delivered(): Promise<void> {
    await until(`the sink delivers ${this.#fired.join(', ')}`, async () => {
      const places = [await this.#inFile(), await this.#inDatabase()];
      return places.every((tags) => this.#fired.every((tag) => tags.includes(tag)));
    }, LONG_MS); // prettier-ignore
    const stored = (await this.#inDatabase()).toSorted();
    if (stored.join() !== this.#fired.toSorted().join()) throw new Error(`in the database: ${stored.join(', ')}`);
  }

  /** In the order of the file; at least once, so a kill may repeat some. */
  async #inFile(): Promise<readonly string[]> {
    const sink = await this.engine.container('event-sink');
    const { stdout } = await this.engine.tryDocker(['exec', sink, 'cat', FILE]);
    return [...stdout.matchAll(/"tag":\s*"(compose\/\d+)"/g)].map(([, tag = '']) => tag);
  }
  /** As an operator looks: without a password, as the user that the container has. */
  async #inDatabase(): Promise<readonly string[]> {
    const database = await this.engine.container('database');
    const { stdout } = await this.engine.tryDocker(['exec', database, 'psql', '-A', '-t', '-c', QUERY]);
    return stdout.split('\n').filter((tag) => tag !== '');
  }
}
