/** Rules of runs that nobody waits for any more: one that somebody works on is waited for, one that nobody has is lost, and said to be. */
import type { RoleLink } from '@natrium/edge';
import type { RunStart } from '@natrium/flow';
import { err, jidOf, ok } from '@natrium/model';
import { LOOK_MS, LostRuns, runningOn } from './lost-runs.js';

const JID = jidOf(1_795_000_000_000_000);
const START = { jid: JID } as unknown as RunStart;
const OTHER = jidOf(1_795_000_000_000_001);

class Gateway {
  readonly lost: string[] = [];
  readonly problems: string[] = [];
  readonly running = new Set<string>();
  isOpen = true;
  losing: (jid: string) => Promise<void> = () => Promise.resolve();
  #time = 0;
  readonly runs = new LostRuns({
    open: {
      async *take() {
        yield START;
      },
      isOpen: () => Promise.resolve(this.isOpen),
    },
    kept: {
      lost: async ({ jid }) => {
        await this.losing(jid);
        this.lost.push(jid);
      },
    },
    running: () => Promise.resolve(this.running),
    onProblem: (problem) => this.problems.push(problem),
    now: () => this.#time,
  });

  async after(seconds: number): Promise<readonly string[]> {
    for (const until = this.#time + seconds * 1000; this.#time < until;) {
      this.#time += LOOK_MS;
      await this.runs.look();
    }
    return this.lost;
  }
}

let gateway: Gateway;
beforeEach(() => {
  gateway = new Gateway();
});

it('it is lost when no runner-service has said for half a minute that it works on it, and that is said once', async () => {
  await gateway.runs.adopt('gw1');
  expect(await gateway.after(25)).toEqual([]);
  expect(await gateway.after(5)).toEqual([JID]);
  expect(await gateway.after(60)).toEqual([JID]);
});

it('while a runner-service works on it, it is not; half a minute after that one is gone, it is', async () => {
  await gateway.runs.adopt('gw1');
  gateway.running.add(JID);
  expect(await gateway.after(3600)).toEqual([]);
  await gateway.runs.adopt('gw1');
  gateway.running.clear();
  expect(await gateway.after(25)).toEqual([]);
  expect(await gateway.after(5)).toEqual([JID]);
});

it('one of this gateway that goes on when its time is over is lost half a minute after its runner-service is gone', async () => {
  gateway.running.add(JID);
  gateway.runs.watch(START);
  expect(await gateway.after(3600)).toEqual([]);
  gateway.running.clear();
  expect(await gateway.after(25)).toEqual([]);
  expect(await gateway.after(5)).toEqual([JID]);
});

it('nothing is said of one whose end was kept meanwhile', async () => {
  await gateway.runs.adopt('gw1');
  gateway.isOpen = false;
  expect(await gateway.after(60)).toEqual([]);
});

it('where that cannot be said yet, it is said later', async () => {
  await gateway.runs.adopt('gw1');
  gateway.losing = () => Promise.reject(new Error('the broker is away'));
  expect(await gateway.after(30)).toEqual([]);
  expect(gateway.problems).toHaveLength(1);
  gateway.losing = () => Promise.resolve();
  expect(await gateway.after(5)).toEqual([JID]);
});

it('one of which that cannot be said holds up no other', async () => {
  await gateway.runs.adopt('gw1');
  gateway.runs.watch({ ...START, jid: OTHER });
  gateway.losing = (jid) => (jid === JID ? Promise.reject(new Error('it cannot be told')) : Promise.resolve());
  expect(await gateway.after(30)).toEqual([OTHER]);
  expect(await gateway.after(5)).toEqual([OTHER]);
  expect(gateway.problems).toHaveLength(2);
});

it('every runner-service is asked, of many runs in parts, and one that says nothing does not count', async () => {
  const jids = Array.from({ length: 300 }, (_, n) => jidOf(n));
  const asked: (readonly [string, number])[] = [];
  const link = {
    directory: { role: () => ['r1', 'r2'].map((instance) => ({ owner: { type: 'role', instance } })) },
    subjects: { svcRunHere: (instance: string) => instance },
    bus: {
      ask: ({ subject, body }: { readonly subject: string; readonly body: { readonly jids: readonly string[] } }) => {
        asked.push([subject, body.jids.length]);
        return Promise.resolve(subject === 'r1' ? err('timeout') : ok({ body: { running: body.jids.slice(0, 1) } }));
      },
    },
  };
  expect([...(await runningOn(link as unknown as RoleLink, jids))]).toEqual([jids[0], jids[256]]);
  expect(asked).toEqual([['r1', 256], ['r1', 44], ['r2', 256], ['r2', 44]]); // prettier-ignore
});
