/** Rules of writes to JetStream whose acknowledgement is in line behind thousands of other messages. */
import { jest } from '@jest/globals';
import type { PublishOptions } from '@nats-io/nats-core';
import type { Incoming } from '../ports/transport.js';
import { type PublishingTransport, StreamPublisher } from './stream-publisher.js';

/** A connection that reads on when the test says so. */
class BusyConnection implements PublishingTransport {
  readonly inbox = '_INBOX';
  readonly alerts: string[] = [];
  #hear: (message: Incoming) => void = () => undefined;
  readonly #replies: string[] = [];
  #wait: () => void = () => undefined;
  /** Resolves when the publisher has asked whether there is more to read. */
  readonly asked = new Promise<void>((resolve) => (this.#wait = resolve));
  readAll: () => void = () => undefined;
  close: () => void = () => undefined;
  readonly closed = new Promise<void>((resolve) => (this.close = resolve));

  subscribe(_subject: string, handler: (message: Incoming) => void) {
    this.#hear = handler;
    return { close: () => Promise.resolve() };
  }

  send(_subject: string, _payload: Uint8Array, { reply }: PublishOptions): void {
    this.#replies.push(reply ?? '');
  }

  /** As the broker says it where no stream listens, or says no. */
  refuse(error?: { readonly err_code: number; readonly description: string }): void {
    const subject = this.#replies.shift() ?? '';
    const payload = error === undefined ? new Uint8Array() : Buffer.from(JSON.stringify({ error }));
    this.#hear({ subject, payload, reply: undefined, noResponders: error === undefined, respond: () => undefined });
  }

  over(): void {
    // nobody listens
  }

  alert(alert: string): void {
    this.alerts.push(alert);
  }

  caughtUp(): Promise<void> {
    this.#wait();
    return new Promise((resolve) => (this.readAll = resolve));
  }

  acknowledge(seq: number): void {
    const subject = this.#replies.shift() ?? '';
    const payload = Buffer.from(JSON.stringify({ stream: 'S', seq }));
    this.#hear({ subject, payload, reply: undefined, noResponders: false, respond: () => undefined });
  }
}

describe('a write whose acknowledgement does not come in time', () => {
  it('is still taken while the connection reads what came before it', async () => {
    const connection = new BusyConnection();
    const written = new StreamPublisher(connection, 1).publish('$KV.jobs.k', Uint8Array.of(1));
    await connection.asked;
    connection.acknowledge(7);
    connection.readAll();
    expect(await written).toBe(7);
    expect(connection.alerts).toEqual([]);
  });

  it('is refused once there is nothing more to read', async () => {
    const connection = new BusyConnection();
    const written = new StreamPublisher(connection, 1).publish('$KV.jobs.k', Uint8Array.of(1));
    await connection.asked;
    connection.readAll();
    await expect(written).rejects.toThrow('no acknowledgement in time');
    expect(connection.alerts).toHaveLength(1);
  });
});

it.each([
  ['that is full is told to look at its disk and limits', { err_code: 10_047, description: 'insufficient' }, false],
  ['where no stream hears it, also that the stream may have been deleted', undefined, true],
])('who writes to a broker %s', async (_, error, isDeleted) => {
  const connection = new BusyConnection();
  const written = new StreamPublisher(connection).publish('$KV.jobs.k', Uint8Array.of(1));
  const late = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000); // no leader for so long
  connection.refuse(error);
  late.mockRestore();
  await expect(written).rejects.toThrow('JetStream');
  expect(connection.alerts).toEqual([expect.stringContaining('look at its disk')]);
  expect(connection.alerts[0]?.includes('the stream was deleted')).toBe(isDeleted);
});

it('a write on a connection that is closed is refused at once, be it sent before or after: nothing can be heard of it', async () => {
  const connection = new BusyConnection();
  const publisher = new StreamPublisher(connection, 60_000);
  const written = publisher.publish('$KV.jobs.k', Uint8Array.of(1));
  connection.close();
  await expect(written).rejects.toThrow('the connection to the broker is closed');
  await expect(publisher.publish('$KV.jobs.k', Uint8Array.of(1))).rejects.toThrow('is closed');
  expect([connection.alerts, publisher.trouble]).toEqual([[], undefined]);
});
