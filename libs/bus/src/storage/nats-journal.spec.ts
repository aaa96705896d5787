/** Rules of the journal, on a real broker. */
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type Broker, startBroker, until } from '@natrium/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { NatsTransport } from '../nats/nats-transport.js';
import { type Journal, type JournalMessage, Unstorable } from '../ports/journal.js';
import { journalContract } from '../ports/journal.contract.js';
import { NANOS_PER_MS } from '../streams/make-bucket.js';
import { readTrouble } from '../streams/reading-state.js';
import { writeTrouble } from '../streams/stream-publisher.js';
import { type JournalOptions, journalToRead, openJournal } from './nats-journal.js';

const MIB = 1 << 20;
const LATE_MS = 200;

let broker: Broker;
let transport: NatsTransport;
const alerts: string[] = [];
let journal: Journal;
let name = 0;

beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({
    servers: [broker.url],
    name: 'test',
    onAlert: (alert) => alerts.push(alert),
  });
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});
beforeEach(async () => {
  name += 1;
  alerts.length = 0;
  journal = await open({});
});

const open = (other: Partial<Pick<JournalOptions, 'keepMs' | 'maxBytes'>>) =>
  openJournal(transport, {
    ...{ name: `J${name}`, subjects: `j${name}.*`, replicas: 1, keepMs: 60_000, maxBytes: 100 * MIB },
    ...other,
  });

async function settings() {
  const { streams } = await jetstreamManager(transport.connection);
  return (await streams.info(`J${name}`)).config;
}

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

journalContract('on JetStream', () => Promise.resolve({ journal, subject: (sender) => `j${name}.${sender}` }));

describe('a journal', () => {
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

  it('opened again is the same one', async () => {
    await put('a', '1', 0);
    const again = await open({ keepMs: 70_000 });
    expect((await settings()).max_age).toBe(70_000 * NANOS_PER_MS);
    expect((await again.lastOn(`j${name}.a`))?.sequence).toBe(1);
  });

  it('that cannot be read is trouble once that lasts, and none when it is read again', async () => {
    const { connection } = transport;
    const request = connection.request.bind(connection);
    let refused = 0;
    const spy = jest.spyOn(connection, 'request').mockImplementation((subject, ...rest) => {
      if (!subject.includes('.CONSUMER.CREATE.')) return request(subject, ...rest);
      refused += 1;
      return Promise.reject(new Error('JetStream system temporarily unavailable'));
    });
    await put('a', '1', 0);
    const read = readSome({ everything: true }, 1);
    await until('it is refused', () => refused > 0);
    const since = performance.now();
    expect(readTrouble(transport)).toBeUndefined();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(since + 11_000);
    expect(readTrouble(transport)).toMatch(/gives nothing to read of J\d+: JetStream system temporarily unavailable/);
    clock.mockRestore();
    spy.mockRestore();
    await read;
    const later = jest.spyOn(performance, 'now').mockReturnValue(since + 60_000);
    expect(readTrouble(transport)).toBeUndefined();
    later.mockRestore();
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

describe('the bytes of a journal', () => {
  const put1000 = async (count: number) => {
    for (let n = 0, last = 0; n < count; n += 1) last = (await put('a', 'x'.repeat(1000), last)) ?? 0;
  };

  it('have a bound: beyond it the oldest go, whatever their age, and whoever reads hears what is left', async () => {
    journal = await open({ maxBytes: 5000 });
    await put1000(20);
    const { first, last } = await journal.bounds();
    expect([first > 10, last]).toEqual([true, 20]);
    const rest = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    expect((await readSome({ after: 1 }, rest.length)).map(({ sequence }) => sequence)).toEqual(rest);
    expect(await put('a', 'x', last)).toBe(last + 1);
  });

  it('are as many as the broker has room for, where that is less: half, a quarter and so on, which is told once', async () => {
    const most = 2 ** 50;
    const { streams } = await jetstreamManager(transport.connection);
    await streams.delete(`J${name}`);
    await open({ maxBytes: most });
    const { max_bytes: kept } = await settings();
    expect([kept < most, kept >= 64 * MIB, Number.isInteger(Math.log2(kept))]).toEqual([true, true, true]);
    expect(alerts).toEqual([expect.stringContaining(`keeps at most ${String(kept)} bytes, not ${String(most)}`)]);
  });

  it('stay as many as they were where there is no room for more; a new journal has at least 64 MiB or is none', async () => {
    const others: string[] = [];
    const fill = () => {
      others.push(`FILL${others.length}`);
      const about = { name: `FILL${others.length}`, subjects: `fill${others.length}.*`, replicas: 1, keepMs: 60_000 };
      return openJournal(transport, { ...about, maxBytes: 2 ** 50 });
    };
    const fillAll = async () => {
      while (others.length < 50) await fill();
    };
    await expect(fillAll()).rejects.toThrow(
      /no room for the stream FILL\d+, which takes 67108864 bytes at least \(insufficient storage .*make room on its disk/,
    );
    await open({ maxBytes: 199 * MIB, keepMs: 70_000 });
    const { streams } = await jetstreamManager(transport.connection);
    for (let n = 1; n < others.length; n += 1) await streams.delete(`FILL${n}`);
    const { max_bytes: maxBytes, max_age: maxAge } = await settings();
    expect([maxBytes, maxAge]).toEqual([100 * MIB, 70_000 * NANOS_PER_MS]);
  });

  it('are as many as another gateway was given that makes it at the same time, and so takes the room', async () => {
    const { streams } = await jetstreamManager(transport.connection);
    await streams.delete(`J${name}`);
    const opened = [2 ** 50, 2 ** 50, 2 ** 50].map((maxBytes) => open({ maxBytes }));
    await Promise.all(opened);
    const kept = `at most ${String((await settings()).max_bytes)} bytes`;
    expect(alerts.map((alert) => alert.includes(kept))).toEqual(opened.map(() => true));
  });

  it('get their bound also where an earlier version made the journal without one', async () => {
    const { streams } = await jetstreamManager(transport.connection);
    await streams.update(`J${name}`, { max_bytes: -1 });
    await open({});
    expect([(await settings()).max_bytes, alerts]).toEqual([100 * MIB, []]);
  });

  it('stay without one where the broker lets nobody change a stream, which the operator is told', async () => {
    const { streams } = await jetstreamManager(transport.connection);
    await streams.update(`J${name}`, { max_bytes: -1 });
    const { connection } = transport;
    const request = connection.request.bind(connection);
    const spy = jest
      .spyOn(connection, 'request')
      .mockImplementation((subject, ...rest) =>
        subject.includes('.STREAM.UPDATE.') ? Promise.reject(new Error('not permitted')) : request(subject, ...rest),
      );
    journal = await open({});
    spy.mockRestore();
    expect((await settings()).max_bytes).toBe(-1);
    expect(alerts).toEqual([
      `the stream J${name} stays as it is, and keeps messages for 60000 ms, however many bytes that are: its new settings were refused (not permitted), and it may fill the disk: nats stream edit J${name} --max-bytes=104857600 --max-age=60s, by a user of the broker's account (docs/operations.md#recover)`,
    ]);
    expect(await put('a', '1', 0)).toBe(1);
  });
});

describe('one whose stream is deleted', () => {
  const deleted = async () => {
    await put('a', '1', 0);
    const { streams } = await jetstreamManager(transport.connection);
    await streams.delete(`J${name}`);
  };
  const lastOn = (of: Journal) => of.lastOn(`j${name}.a`);

  it('is made anew with its settings by who keeps it, which is said, and takes events again', async () => {
    await deleted();
    expect(await lastOn(journal)).toBeUndefined();
    expect(alerts).toEqual([`the stream J${name} was gone and is made anew: what it held is lost`]);
    expect(await settings()).toMatchObject({ max_bytes: 100 * MIB, max_age: 60_000 * NANOS_PER_MS });
    expect(await put('a', '2', 0)).toBe(1);
    expect(await lastOn(journal)).toMatchObject({ sequence: 1, value: Buffer.from('2') });
  });

  it('is not made by who only reads it', async () => {
    await deleted();
    await expect(lastOn(journalToRead(transport, `J${name}`))).rejects.toThrow('stream not found');
    await expect(settings()).rejects.toThrow('stream not found');
  });
});

it('that there is nothing to read is told of an empty journal, and not where messages are on their way', async () => {
  const { connection } = transport;
  const request = connection.request.bind(connection);
  // The broker's answer comes late: what was asked for before it would be here by then.
  const late = jest.spyOn(connection, 'request').mockImplementation(async (subject, ...rest) => {
    if (subject.includes('.CONSUMER.INFO.')) await pause(LATE_MS);
    return request(subject, ...rest);
  });
  const saidOfNothing = jest.fn();
  const empty = journal.read({ everything: true }, () => undefined, saidOfNothing);
  await until('that is said', () => saidOfNothing.mock.calls.length === 1);
  empty.close();
  for (let n = 0; n < 3; n += 1) await put('s', String(n), n);
  const said = jest.fn();
  const heard: string[] = [];
  const reading = journal.read(
    { everything: true },
    ({ value }) => void heard.push(Buffer.from(value).toString()),
    said,
  );
  await until('all is read', () => heard.length === 3);
  reading.close();
  late.mockRestore();
  expect([heard, said.mock.calls]).toEqual([['0', '1', '2'], []]);
});
