/** What every transport keeps to, the one in memory and the real broker alike; each runs it in a spec of its own. */
import type { Incoming, Transport } from './transport.js';

/** A broker that some connections share. */
export interface TransportUnderTest {
  connect(): Promise<Transport>;
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const textOf = ({ payload }: Incoming) => Buffer.from(payload).toString();

/** What a listener hears; a test awaits the count that it expects and then that no more has come. */
class Ear {
  readonly heard: Incoming[] = [];
  #wake: () => void = () => undefined;

  readonly hear = (message: Incoming): void => {
    this.heard.push(message);
    this.#wake();
  };

  async atLeast(count: number): Promise<readonly Incoming[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.heard;
  }

  get texts(): readonly string[] {
    return this.heard.map(textOf);
  }
}

export function transportContract(name: string, broker: () => TransportUnderTest): void {
  describe(`a transport: ${name}`, () => {
    let a: Transport;
    let b: Transport;
    beforeEach(async () => {
      a = await broker().connect();
      b = await broker().connect();
    });
    afterEach(async () => {
      await Promise.all([a.drain(), b.drain()]);
    });

    async function listen(on: Transport, subject: string, queue?: string): Promise<Ear> {
      const ear = new Ear();
      on.subscribe(subject, ear.hear, queue);
      await on.flush();
      return ear;
    }

    /** Everything that was sent before has been heard when this resolves. */
    async function settle(): Promise<void> {
      const mark = await listen(b, 'settled');
      a.publish('settled', bytes(''));
      await mark.atLeast(1);
      await Promise.all([a.flush(), b.flush()]);
    }

    it('carries bytes, subject and reply unchanged', async () => {
      const ear = await listen(b, 'one.two');
      const payload = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      a.publish('one.two', payload, 'answer.here');
      const [message] = await ear.atLeast(1);
      expect([message?.subject, message?.reply, message?.noResponders]).toEqual(['one.two', 'answer.here', false]);
      expect(Uint8Array.from(message?.payload ?? [])).toEqual(payload);
    });

    it('has no reply where none was given', async () => {
      const ear = await listen(b, 'one');
      a.publish('one', bytes('x'));
      expect((await ear.atLeast(1))[0]?.reply ?? '').toBe('');
    });

    it('keeps the order of one sender', async () => {
      const ear = await listen(b, 'count');
      for (let n = 0; n < 100; n += 1) a.publish('count', bytes(`${n}`));
      await ear.atLeast(100);
      expect(ear.texts).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`));
    });

    it.each([
      ['one.*', ['one.two'], ['one', 'one.two.three', 'two.one']],
      ['*.two', ['one.two'], ['two', 'one.three']],
      ['one.>', ['one.two', 'one.two.three'], ['one', 'two.one']],
      ['one', ['one'], ['one.two', 'On', 'ONE']],
    ])('hears on %s what fits and nothing else', async (pattern, fits, others) => {
      const ear = await listen(b, pattern);
      for (const subject of [...others, ...fits]) a.publish(subject, bytes(subject));
      await settle();
      expect(ear.texts).toEqual(fits);
    });

    it('lets one of a queue hear each message, and everybody outside of it', async () => {
      const [first, second, outside] = [await listen(a, 'q', 'g'), await listen(b, 'q', 'g'), await listen(b, 'q')];
      for (let n = 0; n < 40; n += 1) a.publish('q', bytes(`${n}`));
      await outside.atLeast(40);
      await settle();
      expect([...first.texts, ...second.texts].map(Number).sort((x, y) => x - y)).toEqual(
        Array.from({ length: 40 }, (_, n) => n),
      );
      expect(first.heard.length).toBeGreaterThan(0);
      expect(second.heard.length).toBeGreaterThan(0);
    });

    it('says at once to whoever waits for a reply that nobody listens', async () => {
      const ear = await listen(a, 'inbox.1');
      a.publish('nobody.here', bytes('x'), 'inbox.1');
      const [message] = await ear.atLeast(1);
      expect([message?.noResponders, message?.subject, message?.payload.length]).toEqual([true, 'inbox.1', 0]);
    });

    it('does not take an answer without bytes for nobody', async () => {
      const ear = await listen(a, 'inbox.1');
      b.publish('inbox.1', new Uint8Array());
      expect((await ear.atLeast(1))[0]?.noResponders).toBe(false);
    });

    it('says nothing when nobody listens and no reply is waited for', async () => {
      const ear = await listen(a, '>');
      a.publish('nobody.here', bytes('x'));
      await ear.atLeast(1);
      expect(ear.heard.filter(({ noResponders }) => noResponders)).toEqual([]);
    });

    it('no longer hears after it has stopped listening', async () => {
      const ear = new Ear();
      const listening = b.subscribe('one', ear.hear);
      await b.flush();
      a.publish('one', bytes('before'));
      await ear.atLeast(1);
      await listening.close();
      a.publish('one', bytes('after'));
      await settle();
      expect(ear.texts).toEqual(['before']);
    });

    it('goes on hearing after a handler threw', async () => {
      const ear = new Ear();
      b.subscribe('one', (message) => {
        ear.hear(message);
        if (textOf(message) === 'bad') throw new Error('a handler that fails');
      });
      const other = await listen(b, 'two');
      a.publish('one', bytes('bad'));
      a.publish('one', bytes('good'));
      a.publish('two', bytes('too'));
      await ear.atLeast(2);
      await other.atLeast(1);
      expect(ear.texts).toEqual(['bad', 'good']);
    });

    it('sends what was published before it is drained', async () => {
      const ear = await listen(b, 'one');
      const c = await broker().connect();
      c.publish('one', bytes('last'));
      await c.drain();
      await ear.atLeast(1);
      expect(ear.texts).toEqual(['last']);
    });

    it('hears nothing after it is drained', async () => {
      const c = await broker().connect();
      const ear = await listen(c, 'one');
      await c.drain();
      a.publish('one', bytes('x'));
      await settle();
      expect(ear.heard).toEqual([]);
    });
  });
}
