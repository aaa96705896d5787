/** Rules of asking for a run: nobody calls it interrupted while whoever began it may still answer. */
import { jest } from '@jest/globals';
import type { AskFailure, Hearing, SealedBus } from '@natrium/bus';
import type { KnownParty } from '@natrium/envelope';
import type { Body, contracts } from '@natrium/wire';
import { askRun } from './ask-run.js';

type Ran = Body<typeof contracts.ran>;

const ALIVE: Ran = { refusal: null, jid: '', outcome: null };
const DONE: Ran = { refusal: null, jid: '1', outcome: { ret: 7, retcode: 0, success: true, out: null } };
const refused = (code: string): Ran => ({ refusal: { code, sentence: code }, jid: '1', outcome: null });

/** The master, as its caller hears it: one conversation for each time that it was asked. */
class Master {
  readonly #asked: { readonly hear: Hearing<typeof contracts.ran>; timer: NodeJS.Timeout }[] = [];
  readonly told: Promise<string>;

  constructor(patienceMs = 60_000) {
    const converse = (_q: unknown, _a: unknown, silentMs: number, hear: Hearing<typeof contracts.ran>) => {
      const timer = setTimeout(() => {
        hear.onFailure('timeout');
      }, silentMs);
      this.#asked.push({ hear, timer });
      return () => {
        clearTimeout(timer);
      };
    };
    this.told = askRun({ converse } as unknown as SealedBus, undefined as never, patienceMs).then((answer) => {
      if (!answer.ok) return answer.error;
      return answer.value.refusal?.sentence ?? JSON.stringify(answer.value.outcome?.ret);
    });
  }

  get times(): number {
    return this.#asked.length;
  }

  says(ran: Ran, to = 0): void {
    const asked = this.#asked[to];
    if (asked?.hear.onAnswer(ran, undefined as unknown as KnownParty) === 'more') asked.timer.refresh();
    else clearTimeout(asked?.timer);
  }

  fails(failure: AskFailure, of = 0): void {
    clearTimeout(this.#asked[of]?.timer);
    this.#asked[of]?.hear.onFailure(failure);
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
  expect([await master.told, master.times]).toEqual(['7', 1]);
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
  await seconds(30);
  master.says(DONE, 1);
  expect(await master.told).toBe('7');
});

it('a refusal of the only question is told at once', async () => {
  const master = new Master();
  master.says(refused('not_permitted'));
  expect(await master.told).toBe('not_permitted');
});

it('so is that nobody is there', async () => {
  const master = new Master();
  master.fails('no_responders');
  expect([await master.told, master.times]).toEqual(['no_responders', 1]);
});

it('a master that never answers is waited for as long as the caller has patience', async () => {
  const master = new Master(20_000);
  await seconds(21);
  expect(await master.told).toBe('timeout');
});
