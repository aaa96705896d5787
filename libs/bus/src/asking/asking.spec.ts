/** Rules of a question that nobody is there to hear: it waits for a replica, for as long as nobody has heard it. */
import { jest } from '@jest/globals';
import { type KnownParty, toHex } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import type { Listening } from '../ports/transport.js';
import { BACK_MS } from './asking.js';
import type { AskFailure } from './conversation.js';
import { NO_TRACING, type Tracing } from './tracing.js';
import { EVENT, type Party, settle, useWorld } from './world.spec-support.js';

const world = useWorld();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** In steps, since what travels takes turns of the event loop. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 25) {
    await jest.advanceTimersByTimeAsync(Math.min(25, ms - passed));
    await settle(4);
  }
}

/** A gateway that comes when a test says so, and who asks it. */
class Away {
  readonly gateway = world().service('gateway', 'gw1');
  readonly minion: Party;
  known: readonly KnownParty[] = [this.gateway.known];
  heard = 0;
  again = 0;
  #told: AskFailure | 'answered' | undefined;

  constructor(tracing: Tracing = NO_TRACING) {
    this.minion = world().minion(undefined, tracing).knows(this.gateway);
  }

  get told() {
    return this.#told;
  }

  /** It is at work for so long, says so each second, and then answers or says no more. */
  works(ms: number, then: 'answer' | 'say nothing' = 'answer'): Listening {
    return this.gateway.bus.serve('nt.main.up.*.event', 'gateway', [contracts.events], (opened) => {
      const saying = setInterval(() => {
        opened.answer(contracts.working, { what: 'events' });
      }, 1000);
      setTimeout(() => {
        clearInterval(saying);
        if (then === 'answer') opened.answer(contracts.eventsStored, { through: 1 });
      }, ms);
    });
  }

  askAlive(timeoutMs: number): this {
    const question = { ...this.#question(undefined), alive: contracts.working };
    void this.minion.bus.ask(question, contracts.eventsStored, timeoutMs).then((answer) => {
      this.#told = answer.ok ? 'answered' : answer.error;
    });
    return this;
  }

  /** How often it was sent. */
  get sent(): number {
    return this.minion.sent.length;
  }

  ask(timeoutMs: number, backMs?: number): this {
    void this.minion.bus.ask(this.#question(backMs), contracts.eventsStored, timeoutMs).then((answer) => {
      this.#told = answer.ok ? 'answered' : answer.error;
    });
    return this;
  }

  /** @returns Ends it. */
  converse(silentMs: number, backMs: number): () => void {
    return this.minion.bus.converse(this.#question(backMs), contracts.eventsStored, silentMs, {
      onAnswer: () => {
        this.#told = 'answered';
        return 'more';
      },
      onFailure: (failure) => {
        this.#told = failure;
      },
      onSentAgain: () => {
        this.again += 1;
      },
    });
  }

  deliver(timeoutMs: number, backMs: number): this {
    void this.minion.bus.deliver(this.#question(backMs), timeoutMs).then((done) => {
      this.#told = done.ok ? 'answered' : done.error;
    });
    return this;
  }

  /** Listens from now on. */
  comes(does: 'answer' | 'say nothing' = 'answer'): Listening {
    return this.gateway.bus.serve('nt.main.up.*.event', 'gateway', [contracts.events], (opened) => {
      this.heard += 1;
      if (does === 'answer') opened.answer(contracts.eventsStored, { through: 1 });
    });
  }

  #question(backMs: number | undefined) {
    const subject = `nt.main.up.${this.minion.own.fp}.event`;
    const asked = { contract: contracts.events, body: EVENT, subject, to: () => this.known };
    return backMs === undefined ? asked : { ...asked, backMs };
  }
}

it('is sent again until one has come, who hears it once', async () => {
  const away = new Away().ask(5000, BACK_MS);
  await pass(1500);
  expect([away.told, away.sent > 3]).toEqual([undefined, true]);
  away.comes();
  await pass(300);
  expect([away.told, away.heard]).toEqual(['answered', 1]);
});

it('is sealed to whoever is known by then', async () => {
  const away = new Away();
  away.known = [];
  away.ask(5000, BACK_MS).comes();
  await pass(500);
  expect([away.told, away.sent]).toEqual([undefined, 0]);
  away.known = [away.gateway.known];
  await pass(300);
  expect([away.told, away.heard]).toEqual(['answered', 1]);
});

it('is the same message each time, so that nobody can take it for two', async () => {
  const away = new Away();
  const ids: string[] = [];
  const parts = jest.spyOn(away.minion.bus.sealer, 'parts');
  away.ask(5000, BACK_MS);
  await pass(500);
  for (const [, , { messageId }] of parts.mock.calls) ids.push(toHex(messageId));
  expect([ids.length > 2, new Set(ids).size]).toEqual([true, 1]);
});

it.each(['no_responders', 'nobody_known'] as const)(
  'fails after two seconds, however long it has (%s)',
  async (why) => {
    const away = new Away();
    if (why === 'nobody_known') away.known = [];
    away.ask(60_000, BACK_MS);
    await pass(BACK_MS - 250);
    expect(away.told).toBe(undefined);
    await pass(300);
    expect(away.told).toBe(why);
    const { sent } = away;
    away.comes();
    await pass(1000);
    expect([away.sent, away.heard]).toEqual([sent, 0]);
  },
);

it('fails at once where nobody has said how long somebody may be away', async () => {
  const away = new Away().ask(5000);
  await settle();
  expect([away.told, away.sent]).toEqual(['no_responders', 1]);
});

describe('the time of a question', () => {
  it('is that of all of it: who came late has the rest', async () => {
    const late = new Away().ask(1000, BACK_MS);
    await pass(700);
    late.comes('say nothing');
    await pass(250);
    expect([late.told, late.heard]).toEqual([undefined, 1]);
    await pass(100);
    expect(late.told).toBe('timeout');
  });

  it('that is over before anybody could come is known to have been heard by nobody', async () => {
    const never = new Away().ask(300, BACK_MS);
    await pass(325);
    expect(never.told).toBe('no_responders');
  });

  it('that takes many answers begins when somebody has heard it', async () => {
    const away = new Away();
    away.converse(1000, BACK_MS);
    await pass(700);
    away.comes('say nothing');
    await pass(900);
    expect([away.told, away.heard]).toEqual([undefined, 1]);
    await pass(300);
    expect(away.told).toBe('timeout');
  });
});

it('is sent once where somebody has heard it and says nothing', async () => {
  const silent = new Away();
  silent.comes('say nothing');
  silent.ask(1000, BACK_MS);
  await pass(1100);
  expect([silent.told, silent.sent]).toEqual(['timeout', 1]);
});

it('and where somebody has turned it away', async () => {
  const turning = new Away();
  turning.gateway.bus.serve('nt.main.up.*.event', 'gateway', [contracts.join], () => undefined);
  turning.ask(1000, BACK_MS);
  await settle();
  expect([turning.told, turning.sent]).toEqual(['turned_away', 1]);
});

it('for all replicas is answered though one of them turns it away, and is turned away when each does', async () => {
  const [off, here] = [world().service('gateway', 'gw1'), world().service('gateway', 'gw2')];
  const minion = world().minion().knows(off, here);
  const subject = `nt.main.up.${minion.own.fp}.event`;
  const question = { contract: contracts.events, body: EVENT, subject, to: () => [off.known, here.known] };
  const ask = async (isForAll: boolean) => {
    const answer = await minion.bus.ask({ ...question, isForAll }, contracts.eventsStored, 1000);
    return answer.ok ? 'answered' : answer.error;
  };
  off.bus.serve(subject, undefined, [contracts.join], () => undefined);
  const answering = here.bus.serve(subject, undefined, [contracts.events], (opened) => {
    setImmediate(() => {
      opened.answer(contracts.eventsStored, { through: 1 });
    });
  });
  expect([await ask(false), await ask(true)]).toEqual(['turned_away', 'answered']);
  await answering.close();
  here.bus.serve(subject, undefined, [contracts.join], () => undefined);
  expect(await ask(true)).toBe('turned_away');
});

it('is not sent again once its asker has ended it', async () => {
  const away = new Away();
  const end = away.converse(5000, BACK_MS);
  await pass(100);
  end();
  const { sent } = away;
  away.comes();
  await pass(1000);
  expect([away.told, away.sent, away.heard]).toEqual([undefined, sent, 0]);
});

it('nor once its bus is closed, and keeps no process alive', async () => {
  const away = new Away();
  const before = jest.getTimerCount();
  away.ask(5000, BACK_MS);
  await pass(100);
  await away.minion.bus.close();
  const { sent } = away;
  await pass(1000);
  expect([away.sent, jest.getTimerCount() - before]).toEqual([sent, 1]);
  await pass(4000);
  expect(away.told).toBe('no_responders');
});

it('waits for a receipt as for an answer', async () => {
  const away = new Away().deliver(5000, BACK_MS);
  await pass(500);
  away.gateway.bus.serve('nt.main.up.*.event', 'gateway', [contracts.events], (opened) => {
    away.heard += 1;
    opened.acknowledge();
  });
  await pass(300);
  expect([away.told, away.heard]).toEqual(['answered', 1]);
});

it('whose first sending cannot be sealed ends, and the process goes on', async () => {
  const away = new Away();
  const before = jest.getTimerCount();
  away.known = [];
  away.ask(5000, BACK_MS);
  await settle();
  jest.spyOn(away.minion.bus.sealer, 'parts').mockImplementation(() => {
    throw new TypeError('it has no encoding');
  });
  away.known = [away.gateway.known];
  await pass(100);
  expect([away.told, jest.getTimerCount()]).toEqual(['nobody_known', before]);
});

it('that cannot be sealed at all is nobody’s to wait for: whoever asks hears so once, and nothing of it is left', async () => {
  const away = new Away();
  const before = jest.getTimerCount();
  jest.spyOn(away.minion.bus.sealer, 'parts').mockImplementation(() => {
    throw new TypeError('it has no encoding');
  });
  expect(() => away.converse(5000, BACK_MS)).toThrow('it has no encoding');
  expect(jest.getTimerCount()).toBe(before);
  await pass(5000);
  expect(away.told).toBeUndefined();
});

it('is sent again once where the broker says twice that nobody has heard it, and not once it is over', async () => {
  const away = new Away();
  const publish = jest.spyOn(away.minion.transport, 'publish');
  const end = away.converse(5000, BACK_MS);
  const inbox = publish.mock.calls[0]?.[2];
  await settle();
  world().broker.connect().publish('nt.main.nobody', new Uint8Array(), inbox);
  await settle();
  await pass(75);
  expect(away.sent).toBe(2);
  end();
  await pass(1000);
  expect(away.sent).toBe(2);
});

it('tells who converses each time that it is sent again', async () => {
  const away = new Away();
  away.converse(5000, BACK_MS);
  await pass(500);
  expect(away.again).toBe(away.sent - 1);
});

it('is one step of its trace, however often it was sent', async () => {
  const ended: unknown[] = [];
  let sent = 0;
  const tracing: Tracing = {
    ...NO_TRACING,
    send: () => {
      sent += 1;
      return {
        trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
        end: (why) => ended.push(why),
      };
    },
  };
  const away = new Away(tracing).ask(5000, BACK_MS);
  await pass(500);
  away.comes();
  await pass(300);
  expect([away.told, sent, ended]).toEqual(['answered', 1, [undefined]]);
});

describe('of which somebody says that he is at work on it', () => {
  it('has its time anew with each word, and its answer is the answer', async () => {
    const away = new Away();
    away.works(10_000);
    away.askAlive(3000);
    await pass(9500);
    expect(away.told).toBeUndefined();
    await pass(1000);
    expect(away.told).toBe('answered');
  });

  it('fails when the words end before an answer', async () => {
    const away = new Away();
    away.works(4500, 'say nothing');
    away.askAlive(3000);
    await pass(6500);
    expect(away.told).toBeUndefined();
    await pass(1000);
    expect(away.told).toBe('timeout');
  });

  it('takes no such word where it expects none', async () => {
    const away = new Away();
    away.works(10_000);
    away.ask(3000);
    await pass(3100);
    expect(away.told).toBe('timeout');
  });
});
