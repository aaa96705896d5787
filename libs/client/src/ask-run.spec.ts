/** Rules of asking for a run: nobody calls it interrupted while whoever began it may still answer. */
import { jest } from '@jest/globals';
import type { AskFailure } from '@natrium/bus';
import type { Body, contracts } from '@natrium/wire';
import { askRun } from './ask-run.js';
import { AskedBus } from './asked-bus.spec-support.js';

type Ran = Body<typeof contracts.ran>;

const ALIVE: Ran = { refusal: null, jid: '', outcome: null };
const DONE: Ran = { refusal: null, jid: '1', outcome: { ret: 7, retcode: 0, success: true, out: null } };
const refused = (code: string): Ran => ({ refusal: { code, sentence: code }, jid: '1', outcome: null });

/** The master, and what its caller is told of the run. */
class Master {
  readonly #asked = new AskedBus<typeof contracts.ran>();
  readonly told: Promise<string>;
  readonly jids: string[] = [];

  constructor(patienceMs = 60_000, follow: 'all' | 'jid' = 'all') {
    const question = { body: { follow } } as Parameters<typeof askRun>[1];
    this.told = askRun(this.#asked.bus, question, patienceMs, (jid) => this.jids.push(jid)).then((answer) => {
      if (!answer.ok) return answer.error;
      return answer.value.refusal?.sentence ?? JSON.stringify(answer.value.outcome?.ret);
    });
  }

  get times(): number {
    return this.#asked.times;
  }

  says(ran: Ran, to = 0): void {
    this.#asked.says(ran, to);
  }

  isSentAgain(of = 0): void {
    this.#asked.isSentAgain(of);
  }

  fails(failure: AskFailure, of = 0): void {
    this.#asked.fails(failure, of);
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

it('a master that says each second that it is there is asked once', async () => {
  const master = new Master();
  for (let n = 0; n < 20; n += 1) {
    await seconds(1);
    master.says(ALIVE);
  }
  master.says(DONE);
  const told = await master.told;
  await seconds(10);
  expect([told, master.times]).toEqual(['7', 1]);
});

it('one that was silent and answers after all is believed, though another says that it was begun', async () => {
  const master = new Master();
  await seconds(4);
  expect(master.times).toBe(2);
  master.says(refused('already_ran'), 1);
  await seconds(4);
  master.says(ALIVE);
  await seconds(8);
  master.says(DONE);
  expect([await master.told, master.times]).toEqual(['7', 2]);
});

it('one that is gone leaves the outcome unknown when the run was begun', async () => {
  const master = new Master();
  await seconds(4);
  master.says(refused('already_ran'), 1);
  await seconds(7);
  expect(await master.told).toMatch(/^interrupted, outcome unknown/);
});

it('whichever of the two questions brings the outcome, it counts', async () => {
  const master = new Master();
  await seconds(4);
  master.says(refused('already_ran'), 0);
  master.says(ALIVE, 1);
  await seconds(9);
  master.says(DONE, 1);
  expect(await master.told).toBe('7');
});

it('a refusal of the only question is told at once', async () => {
  const master = new Master();
  master.says(refused('not_permitted'));
  expect(await master.told).toBe('not_permitted');
});

it.each(['turned_away', 'no_responders', 'nobody_known'] as const)('so is that it failed: %s', async (failure) => {
  const master = new Master();
  master.fails(failure);
  expect([await master.told, master.times]).toEqual([failure, 1]);
});

it('a master that was not there at first has its three seconds from then on', async () => {
  const master = new Master();
  await seconds(1.9);
  master.isSentAgain();
  await seconds(2.5);
  expect(master.times).toBe(1);
  await seconds(1);
  expect(master.times).toBe(2);
  await seconds(1.9);
  master.isSentAgain(1);
  await seconds(2.5);
  expect(master.times).toBe(2);
});

it('a broker that hands it to a gateway that stands still time and again is asked until another one answers', async () => {
  const master = new Master();
  await seconds(13);
  expect(master.times).toBe(5);
  master.says({ ...ALIVE, jid: '7' }, 4);
  await seconds(2.5);
  master.says(DONE, 4);
  expect([await master.told, master.jids, master.times]).toEqual(['7', ['7'], 5]);
});

it('so is one whose second answerer falls silent too, also when its first is given up', async () => {
  const master = new Master();
  await seconds(4);
  master.says({ ...ALIVE, jid: '8' }, 1);
  await seconds(4);
  expect(master.times).toBe(3);
  await seconds(3);
  master.says(DONE, 3);
  expect(await master.told).toBe('7');
});

it('whoever was asked is asked no more once one of them has refused, and is listened to', async () => {
  const master = new Master();
  await seconds(7);
  expect(master.times).toBe(3);
  master.says(refused('already_ran'), 2);
  await seconds(1);
  master.says(ALIVE, 1);
  await seconds(9);
  master.says(DONE, 1);
  expect([await master.told, master.times]).toEqual(['7', 3]);
});

it('a master that never answers is waited for as long as the caller has patience', async () => {
  const master = new Master(20_000);
  await seconds(21);
  expect(await master.told).toBe('timeout');
});

it('the jid is told once, before the end, by a master that says what it works on', async () => {
  const master = new Master();
  master.says(ALIVE);
  master.says({ ...ALIVE, jid: '7' });
  await seconds(4);
  expect([master.jids, master.times]).toEqual([['7'], 2]);
  master.says({ ...ALIVE, jid: '8' }, 1);
  master.says(DONE);
  expect([await master.told, master.jids]).toEqual(['7', ['7']]);
});

it('the jid ends what is followed by jid', async () => {
  const master = new Master(60_000, 'jid');
  master.says(ALIVE);
  master.says({ ...ALIVE, jid: '7' });
  expect([await master.told, master.jids]).toEqual([undefined, []]);
});

describe('a run that has begun, as the first question was told, and whose master fell silent then', () => {
  const UNKNOWN = 'interrupted, outcome unknown: the master lost the run on its way; it is not run again, jid 7';

  async function begun(patience = 60): Promise<Master> {
    const master = new Master(patience * 1000);
    master.says({ ...ALIVE, jid: '7' });
    await seconds(4);
    return master;
  }

  it.each(['acl_unavailable', 'store_unavailable', 'slow_down', 'already_ran', 'not_permitted', 'request_expired'])(
    'is not told as %s of the second: its outcome is unknown',
    async (code) => {
      const master = await begun();
      master.says(refused(code), 1);
      await seconds(7);
      expect(await master.told).toBe(UNKNOWN);
    },
  );

  it.each(['no_responders', 'turned_away'] as const)('nor as %s', async (failure) => {
    const master = await begun();
    master.fails(failure, 1);
    await seconds(7);
    expect(await master.told).toBe(UNKNOWN);
  });

  it.each([8, 60])('nor as silence, when the caller’s patience of %i s is over', async (patience) => {
    const master = await begun(patience);
    await seconds(patience);
    expect(await master.told).toBe(UNKNOWN);
  });

  it('is told as whoever worked on it refuses it, whatever the other says', async () => {
    const master = await begun();
    master.says(refused('acl_unavailable'), 1);
    master.says(refused('no_runner_available'));
    expect(await master.told).toBe('no_runner_available');
  });

  it('also when that is the second, and the first has refused it', async () => {
    const master = new Master();
    await seconds(4);
    master.says({ ...ALIVE, jid: '8' }, 1);
    master.says(refused('acl_unavailable'), 0);
    master.says(refused('no_runner_available'), 1);
    expect(await master.told).toBe('no_runner_available');
  });

  it('under a jid of its own where another has begun it already: the outcome is that one’s', async () => {
    const master = await begun();
    master.says({ ...ALIVE, jid: '8' }, 1);
    master.says(refused('no_runner_available'), 0);
    master.says(refused('already_ran'), 1);
    expect(await master.told).toBe(UNKNOWN);
  });

  it('has its outcome from either', async () => {
    const master = await begun();
    master.says(refused('slow_down'), 1);
    master.says(DONE);
    expect(await master.told).toBe('7');
  });
});

it.each(['acl_unavailable', 'store_unavailable', 'slow_down'])(
  'one whose first question nobody answers may have begun, though the second is answered with %s',
  async (code) => {
    const master = new Master();
    await seconds(4);
    master.says(refused(code), 1);
    await seconds(7);
    expect(await master.told).toBe('timeout');
  },
);

it('each question of which was refused in this way has not', async () => {
  const master = new Master();
  await seconds(4);
  master.says(refused('acl_unavailable'), 1);
  master.says(refused('acl_unavailable'), 0);
  expect(await master.told).toBe('acl_unavailable');
});

it('one of which nobody was told that it has begun is told as the gate refuses it', async () => {
  const master = new Master();
  await seconds(4);
  master.says(refused('not_permitted'), 1);
  await seconds(7);
  expect(await master.told).toBe('not_permitted');
});
