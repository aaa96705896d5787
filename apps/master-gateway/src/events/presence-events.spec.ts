/** Rules of what the events of presence say of minions that are connected, gone, or merely silent. */
import type { JournalMessage } from '@natrium/bus';
import { EventLog } from '@natrium/events';
import type { Value } from '@natrium/model';
import type { Connected } from '../minions/presence.js';
import { PresenceEvents } from './presence-events.js';

const MINUTE_MS = 60_000;

/** A gateway that looks each minute; the test says what it finds. */
class AGateway {
  readonly told: (readonly [tag: string, data: Value])[] = [];
  #minutes = 1;
  #found: Connected = { answering: [], silent: [] };
  readonly #events: PresenceEvents;

  constructor() {
    const messages: JournalMessage[] = [];
    const journal = {
      name: 'pages',
      append: (subject: string, value: Uint8Array) =>
        Promise.resolve(messages.push({ sequence: messages.length + 1, subject, value, behind: 0 })),
      lastOn: () => Promise.resolve(messages.at(-1)),
      bounds: () => Promise.resolve({ first: 1, last: messages.length }),
      read: () => ({ close: () => undefined }),
    };
    const log = new EventLog(journal, (sender) => sender);
    log.whenStored(({ events }) => {
      for (const { tag, data } of events) this.told.push([tag, data]);
    });
    const fail = (cause: unknown) => {
      throw cause;
    };
    const ports = {
      log,
      connected: () => Promise.resolve(this.#found),
      now: () => this.#minutes * MINUTE_MS,
      onProblem: fail,
    };
    this.#events = new PresenceEvents(ports, MINUTE_MS);
  }

  /** As another one sees it. */
  count(): Promise<number> {
    return this.#events.count();
  }

  async look(answering: readonly string[], silent: readonly string[] = []): Promise<readonly unknown[]> {
    this.told.length = 0;
    this.#minutes += 1;
    this.#found = { answering, silent };
    await this.#events.look();
    return this.told;
  }
}

it('knows how many were there at the last look, and nothing before the first', async () => {
  const gateway = new AGateway();
  expect(await gateway.count()).toBeNaN();
  await gateway.look(['a', 'b']);
  expect(await gateway.count()).toBe(2);
  await gateway.look([], ['b']);
  expect(await gateway.count()).toBe(1);
});

const present = (...ids: readonly string[]) => ['salt/presence/present', { present: ids }];
const changed = (data: { readonly new: readonly string[]; readonly lost: readonly string[] }) => ['salt/presence/change', data]; // prettier-ignore

it('whoever answers is present, and new once; whoever is not connected is lost once', async () => {
  const gateway = new AGateway();
  expect(await gateway.look(['b', 'a'])).toEqual([present('a', 'b'), changed({ new: ['a', 'b'], lost: [] })]);
  expect(await gateway.look(['a', 'b'])).toEqual([present('a', 'b')]);
  expect(await gateway.look(['a'])).toEqual([present('a'), changed({ new: [], lost: ['b'] })]);
  expect(await gateway.look(['a'])).toEqual([present('a')]);
});

it('whoever is connected and silent is what it was: present, or not yet', async () => {
  const gateway = new AGateway();
  await gateway.look(['a', 'b']);
  expect(await gateway.look(['a'], ['b', 'c'])).toEqual([present('a', 'b')]);
  expect(await gateway.look([], ['a', 'b', 'c'])).toEqual([present('a', 'b')]);
  expect(await gateway.look(['c'], ['a'])).toEqual([present('a', 'c'), changed({ new: ['c'], lost: ['b'] })]);
});
