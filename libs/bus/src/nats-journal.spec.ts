/** Rules of the journal, on a real broker. */
import { jest } from '@jest/globals';
import { type Broker, startBroker, until } from '@natrium/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { type Journal, type JournalMessage, Unstorable } from './journal.js';
import { openJournal } from './nats-journal.js';
import { writeTrouble } from './nats-store.js';
import { NatsTransport } from './nats-transport.js';

let broker: Broker;
let transport: NatsTransport;
let journal: Journal;
let name = 0;

beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});
beforeEach(async () => {
  name += 1;
  journal = await openJournal(transport, { name: `J${name}`, subjects: `j${name}.*`, replicas: 1, keepMs: 60_000 });
});

const text = (value: Uint8Array) => Buffer.from(value).toString();
const put = (sender: string, value: string, last: number) =>
  journal.append(`j${name}.${sender}`, Buffer.from(value), last);

/** Reads until `count` messages have come. */
function readSome(from: Parameters<Journal['read']>[0], count: number): Promise<readonly JournalMessage[]> {
  return new Promise((resolve) => {
    const read: JournalMessage[] = [];
    const reading = journal.read(from, (message) => {
      read.push(message);
      if (read.length === count) {
        reading.close();
        resolve(read);
      }
    });
  });
}

describe('a journal', () => {
  it('takes a message only when its sender’s last one is the one that the writer knows', async () => {
    expect(await put('a', '1', 0)).toBe(1);
    expect(await put('b', '1', 0)).toBe(2);
    expect(await put('a', '2', 0)).toBeUndefined();
    expect(await put('a', '2', 1)).toBe(3);
    expect(await put('a', '3', 2)).toBeUndefined();
    expect((await journal.lastOn(`j${name}.a`))?.sequence).toBe(3);
    expect(await journal.lastOn(`j${name}.c`)).toBeUndefined();
    expect(await journal.bounds()).toEqual({ first: 1, last: 3 });
  });

  it('is read also where the consumer that was asked for is at a dead node, which never answers: another is asked for', async () => {
    const { connection } = transport;
    const request = connection.request.bind(connection);
    const asked: string[] = [];
    const spy = jest.spyOn(connection, 'request').mockImplementation((subject, ...rest) => {
      if (!subject.includes('.CONSUMER.CREATE.')) return request(subject, ...rest);
      asked.push(subject);
      return asked.length === 1 ? new Promise(() => undefined) : request(subject, ...rest);
    });
    await put('a', '1', 0);
    expect(await readSome({ everything: true }, 1)).toHaveLength(1);
    spy.mockRestore();
    // Each by a name of its own: by the first one's the dead node would be asked again.
    expect([asked.length, new Set(asked).size]).toEqual([2, 2]);
  });

  it('says at once that no message may be so large, and takes the next', async () => {
    await expect(journal.append(`j${name}.a`, new Uint8Array(8 << 20), 0)).rejects.toThrow(Unstorable);
    expect(writeTrouble(transport)).toBeUndefined();
    expect(await put('a', '1', 0)).toBe(1);
  });

  it('is read from any place, in order, with what is still to come', async () => {
    await put('a', '1', 0);
    await put('b', '2', 0);
    const all = readSome({ everything: true }, 4);
    const after = readSome({ after: 1 }, 3);
    await put('a', '3', 1);
    await put('b', '4', 2);
    expect((await all).map(({ value }) => text(value))).toEqual(['1', '2', '3', '4']);
    expect((await after).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  });

  it('opened again is the same one', async () => {
    await put('a', '1', 0);
    const again = await openJournal(transport, {
      name: `J${name}`,
      subjects: `j${name}.*`,
      replicas: 1,
      keepMs: 70_000,
    });
    expect((await again.lastOn(`j${name}.a`))?.sequence).toBe(1);
  });

  it('keeps nothing at the broker for who has read, nor for who left before reading had begun', async () => {
    await put('a', '1', 0);
    const { consumers } = await jetstreamManager(transport.connection);
    const readers = async () => (await consumers.list(`J${name}`).next()).length;
    let heard = 0;
    const hear = () => void (heard += 1);
    for (let n = 0; n < 10; n += 1) {
      await readSome({ everything: true }, 1);
      await new Promise<void>((resolve) => {
        const reading = journal.read({ after: 1 }, hear, () => {
          reading.close();
          resolve();
        });
      });
      journal.read({ everything: true }, hear).close();
    }
    await until('no reader is left', async () => (await readers()) === 0);
    await put('b', '2', 0);
    expect(heard).toBe(0);
  });
});
