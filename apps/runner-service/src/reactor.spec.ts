/** Rules of when the reactor hears events: while the service listens, and at no other time. */
import type { EncodedBatch, EventLog } from '@natrium/events';
import { follow } from './reactor.js';

type Hook = () => Promise<void> | void;

const NOW = 1_795_000_000_000;
const BATCH: EncodedBatch = {
  ...{ sequence: 1, sender: 'gw', through: 1, encoded: new Uint8Array() },
  events: [{ number: 1, tag: 't', data: {}, stamp: '', origin: { kind: 'local', name: 'a' } }],
};

class Following {
  readonly heard: string[] = [];
  readonly read: unknown[] = [];
  isClosed = false;
  /** Resolves when no reaction is under way. */
  reacted = Promise.resolve();
  #onBatch: Parameters<EventLog['read']>[1] = () => undefined;
  readonly #begins: Hook[] = [];
  readonly #finishes: Hook[] = [];
  readonly #stops: Hook[] = [];

  constructor() {
    const hooks = {
      onListening: (begin: Hook) => this.#begins.push(begin),
      onFinish: (finish: Hook) => this.#finishes.push(finish),
      onStop: (stop: Hook) => this.#stops.push(stop),
    };
    const read: EventLog['read'] = (from, onBatch) => {
      this.read.push(from);
      this.#onBatch = onBatch;
      return { close: () => (this.isClosed = true) };
    };
    const hear = ({ id }: { readonly id: string }) => Promise.resolve(void this.heard.push(id));
    follow(hooks, { read }, { hear, settled: () => this.reacted }, () => NOW);
  }

  /** It has left its queue. */
  async finishes(): Promise<void> {
    for (const finish of this.#finishes) await finish();
  }

  async listens(): Promise<void> {
    for (const begin of this.#begins) await begin();
  }

  async stops(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  async comes(): Promise<void> {
    await this.#onBatch(BATCH);
  }
}

it('none is read before the service listens; then those of the last ten minutes, too', async () => {
  const following = new Following();
  expect(following.read).toEqual([]);
  await following.listens();
  expect(following.read).toEqual([{ since: NOW - 600_000 }]);
  await following.comes();
  expect(following.heard).toEqual(['gw.1']);
});

it('none is heard once the service stops', async () => {
  const following = new Following();
  await following.listens();
  await following.stops();
  await following.comes();
  expect([following.isClosed, following.heard]).toEqual([true, []]);
});

it('none is heard once it takes no more runs, and what has begun is waited for', async () => {
  const following = new Following();
  let react: () => void = () => undefined;
  following.reacted = new Promise((resolve) => (react = resolve));
  await following.listens();
  let isDone = false;
  const finishing = following.finishes().then(() => (isDone = true));
  await following.comes();
  expect([following.isClosed, following.heard, isDone]).toEqual([true, [], false]);
  react();
  expect(await finishing).toBe(true);
});

it('a service that stops before it listened has nothing to end', async () => {
  const following = new Following();
  await following.stops();
  expect(following.isClosed).toBe(false);
});
