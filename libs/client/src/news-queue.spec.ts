/** Rules of the queue between calls and `for await`: everything is read once, in order, and then it ends. */
import { NewsQueue } from './news-queue.js';

async function all<T>(queue: NewsQueue<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const item of queue) read.push(item);
  return read;
}

describe('a queue of news', () => {
  it('gives what came before it was read, in order', async () => {
    const queue = new NewsQueue<number>();
    for (const n of [1, 2, 3]) queue.push(n);
    queue.end();
    expect(await all(queue)).toEqual([1, 2, 3]);
  });

  it('waits for what comes while it is read', async () => {
    const queue = new NewsQueue<number>();
    const reading = all(queue);
    for (const n of [1, 2]) {
      await new Promise(setImmediate);
      queue.push(n);
    }
    await new Promise(setImmediate);
    queue.end();
    expect(await reading).toEqual([1, 2]);
  });

  it('ends at once when there was nothing', async () => {
    const queue = new NewsQueue<number>();
    queue.end();
    expect(await all(queue)).toEqual([]);
  });

  it('gives what came in the same turn as its end', async () => {
    const queue = new NewsQueue<number>();
    const reading = all(queue);
    await new Promise(setImmediate);
    queue.push(1);
    queue.push(2);
    queue.end();
    expect(await reading).toEqual([1, 2]);
  });
});
