/** What every journal keeps to, the one in memory and the stream on JetStream alike; each runs it in a spec of its own. */
import type { Journal, JournalMessage, ReadFrom } from './journal.js';

const textOf = ({ value }: JournalMessage) => Buffer.from(value).toString();

/** @param open Gives a fresh, empty journal with each call, and the subject of a sender in it. */
export function journalContract(
  name: string,
  open: () => Promise<{ readonly journal: Journal; readonly subject: (sender: string) => string }>,
): void {
  describe(`a journal: ${name}`, () => {
    let journal: Journal;
    let subject: (sender: string) => string;
    beforeEach(async () => {
      ({ journal, subject } = await open());
    });

    const put = (sender: string, text: string, last: number) =>
      journal.append(subject(sender), Buffer.from(text), last);

    /** Reads until `count` messages have come. */
    const readSome = (from: ReadFrom, count: number): Promise<readonly JournalMessage[]> =>
      new Promise((resolve) => {
        const read: JournalMessage[] = [];
        const reading = journal.read(from, (message) => {
          read.push(message);
          if (read.length < count) return;
          reading.close();
          resolve(read);
        });
      });

    it('takes a message only when its sender’s last one is the one that the writer knows', async () => {
      expect(await put('a', '1', 0)).toBe(1);
      expect(await put('b', '1', 0)).toBe(2);
      expect(await put('a', '2', 0)).toBeUndefined();
      expect(await put('a', '2', 1)).toBe(3);
      expect(await put('a', '3', 2)).toBeUndefined();
      expect(await journal.lastOn(subject('a'))).toMatchObject({ sequence: 3, subject: subject('a') });
      expect(await journal.lastOn(subject('c'))).toBeUndefined();
      expect(await journal.bounds()).toEqual({ first: 1, last: 3 });
    });

    it('takes one of many that are written at the same time after the same one', async () => {
      const taken = await Promise.all(['1', '2', '3'].map((text) => put('a', text, 0)));
      expect(taken.toSorted()).toEqual([1, undefined, undefined]);
      expect(await journal.bounds()).toEqual({ first: 1, last: 1 });
    });

    it('is read from any place, in order, with what is still to come', async () => {
      await put('a', '1', 0);
      await put('b', '2', 0);
      const [all, after] = [readSome({ everything: true }, 4), readSome({ after: 1 }, 3)];
      const since = readSome({ since: 0 }, 4);
      await put('a', '3', 1);
      await put('b', '4', 2);
      expect((await all).map(textOf)).toEqual(['1', '2', '3', '4']);
      expect((await since).map(textOf)).toEqual(['1', '2', '3', '4']);
      expect((await after).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
    });

    it('says with each message how many it holds after it', async () => {
      for (const sender of ['a', 'b', 'c']) await put(sender, '1', 0);
      expect((await readSome({ everything: true }, 3)).map(({ behind }) => behind)).toEqual([2, 1, 0]);
      expect((await readSome({ after: 1 }, 2)).map(({ behind }) => behind)).toEqual([1, 0]);
    });

    it.each<ReadFrom>([{ everything: true }, { after: 1 }, { now: true }])(
      'tells once who reads %j that there is nothing yet, and then what comes',
      async (from) => {
        if (!('everything' in from)) await put('a', 'before', 0);
        const heard: string[] = [];
        let readAll: () => void = () => undefined;
        const all = new Promise<void>((resolve) => (readAll = resolve));
        await new Promise<void>((resolve) => {
          const hear = (message: JournalMessage) => {
            if (heard.push(textOf(message)) === 3) readAll();
          };
          const reading = journal.read(from, hear, () => {
            heard.push('nothing');
            resolve();
          });
          void all.then(() => {
            reading.close();
          });
        });
        for (const sender of ['b', 'c']) await put(sender, sender, 0);
        await all;
        expect(heard).toEqual(['nothing', 'b', 'c']);
      },
    );

    it('hands on the next message when the one before is done with, and none once it is closed', async () => {
      for (const sender of ['a', 'b', 'c']) await put(sender, sender, 0);
      const heard: string[] = [];
      await new Promise<void>((resolve) => {
        const reading = journal.read({ everything: true }, async (message) => {
          heard.push(`${textOf(message)} begins`);
          await new Promise(setImmediate);
          heard.push(`${textOf(message)} ends`);
          if (message.sequence < 2) return;
          reading.close();
          resolve();
        });
      });
      expect((await readSome({ everything: true }, 3)).map(textOf)).toEqual(['a', 'b', 'c']);
      expect(heard).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    });
  });
}
