/** Rules of changing one value that others change at the same time: nobody's change is lost. */
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { MemoryStore } from '../ports/memory-store.js';
import type { Entry, Store } from '../ports/store.js';
import { changeEntry, createOrUpdate } from './change-entry.js';
import { openBucket } from './nats-store.js';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const textOf = (entry: Entry | undefined) => Buffer.from(entry?.value ?? []).toString();

/** Another is quicker so many times. */
class Raced extends MemoryStore {
  constructor(private left: number) {
    super('raced');
  }

  override async get(key: string): Promise<Entry | undefined> {
    const entry = await super.get(key);
    if (this.left-- > 0) await this.put(key, bytes(`${textOf(entry)}x`));
    return entry;
  }
}

const append = (store: Store, letter: string) =>
  changeEntry(store, 'k', (now) => ({ value: bytes(textOf(now) + letter), heard: textOf(now) }));

it('creates what is not there, and puts what is there into its place', async () => {
  const store = new MemoryStore('test');
  const first = await createOrUpdate(store, 'k', bytes('1'), undefined);
  expect(await createOrUpdate(store, 'k', bytes('2'), undefined)).toBeUndefined();
  const second = await createOrUpdate(store, 'k', bytes('2'), first);
  expect(await createOrUpdate(store, 'k', bytes('3'), first)).toBeUndefined();
  expect(await store.get('k')).toEqual({ key: 'k', value: bytes('2'), revision: second });
});

it('decides anew each time that another was quicker, with what that has written', async () => {
  const store = new Raced(3);
  expect(await append(store, 'a')).toEqual({ heard: 'xxx', revision: 4 });
  expect(textOf(await store.get('k'))).toBe('xxxa');
});

it('gives up when another is quicker each time', async () => {
  await expect(append(new Raced(Infinity), 'a')).rejects.toThrow('raced/k was changed by others each time');
});

it('writes nothing where nothing is to be changed', async () => {
  const store = new MemoryStore('test');
  expect(await changeEntry(store, 'k', () => ({ value: undefined, heard: 1 }))).toEqual({ heard: 1, revision: undefined }); // prettier-ignore
  expect(await store.get('k')).toBeUndefined();
});

it('loses none of many changes at one moment, at a real broker', async () => {
  let broker: Broker | undefined;
  let transport: NatsTransport | undefined;
  try {
    broker = await startBroker();
    transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
    const store = await openBucket(transport, { name: 'NT_test_changed', replicas: 1, ttlMs: 0 });
    const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(letters.map((letter) => append(store, letter)));
    expect(
      textOf(await store.get('k'))
        .split('')
        .sort(),
    ).toEqual(letters);
    await store.delete('k');
    expect((await append(store, 'again')).heard).toBe('');
  } finally {
    await transport?.drain();
    await broker?.stop();
  }
});
