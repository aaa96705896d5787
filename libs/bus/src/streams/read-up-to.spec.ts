/** Rules of reading at a node that is behind: what is known to be there is waited for, and a part is never taken for all. */
import { jest } from '@jest/globals';
import { type Stoppable, upTo } from './read-up-to.js';

/** What a node has, and what it gets from the others later. */
class Behind implements AsyncIterable<{ readonly seq: number }> {
  readonly #seqs: number[];
  #wake: () => void = () => undefined;
  #stopped = false;

  constructor(...seqs: readonly number[]) {
    this.#seqs = [...seqs];
  }

  gets(seq: number): void {
    this.#seqs.push(seq);
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    while (!this.#stopped) {
      const seq = this.#seqs.shift();
      if (seq === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield { seq };
    }
  }
}

async function readUpTo(messages: Stoppable<{ readonly seq: number }>, last: number) {
  const read: { readonly seq: number }[] = [];
  for await (const message of upTo(messages, last)) read.push(message);
  return read;
}

const seqs = (read: readonly { readonly seq: number }[]) => read.map(({ seq }) => seq);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('waits for what the node has not got yet', async () => {
  const node = new Behind(1, 4);
  const reading = readUpTo(node, 9);
  await jest.advanceTimersByTimeAsync(4000);
  node.gets(6);
  await jest.advanceTimersByTimeAsync(4000);
  node.gets(9);
  expect(seqs(await reading)).toEqual([1, 4, 6, 9]);
});

it('ends with what took the place of the last one, and waits for nothing that came afterwards', async () => {
  expect(seqs(await readUpTo(new Behind(1, 12), 9))).toEqual([1, 12]);
});

it('fails when nothing more comes, and leaves no timer', async () => {
  const reading = readUpTo(new Behind(1, 4), 9);
  const failed = expect(reading).rejects.toThrow('timeout');
  await jest.advanceTimersByTimeAsync(5000);
  await failed;
  expect(jest.getTimerCount()).toBe(0);
});

it('gives its reader time with each message, and the node only for the next one', async () => {
  const slow = async () => {
    const read: number[] = [];
    for await (const { seq } of upTo(new Behind(1, 4, 9), 9)) {
      read.push(seq);
      await new Promise((resolve) => setTimeout(resolve, 20_000));
    }
    return read;
  };
  const reading = slow();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await reading).toEqual([1, 4, 9]);
});
