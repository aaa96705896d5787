/** Rules of a cluster that is being started: what a busy machine refuses for a moment is asked for again, what stays is told at once. */
import { err, type JobNews, ok, type Refusal, refusal, type RefusalCode } from '@natrium/model';
import type { KeyEntry } from '../ports.js';
import { ScriptedMaster } from '../testing/scripted-master.js';
import { letIn } from './letting-in.js';
import { allAnswer } from './pinging.js';
import { linkedTo, type Young } from './young.js';

const IDS = ['web1', 'web2'];
const PASSING = ['acl_unavailable', 'store_unavailable', 'slow_down', 'master_unreachable'] as const;
const STAYING = ['not_permitted', 'blacklisted', 'unknown_caller', 'bad_request'] as const;

/** A clock that goes on by one with each look. */
function young(own: Partial<Young> = {}): Young {
  let now = 0;
  return { ids: IDS, now: () => (now += 1), waitMs: 4, isWhole: () => true, ...own };
}

const refused = (code: RefusalCode): JobNews => ({ type: 'refused', refusal: refusal(code, `no: ${code}`) });
const back = (id: string): JobNews =>
  ({ type: 'return', id, ret: { fun: 'test.ping', ret: true, retcode: 0, success: true } }) as unknown as JobNews;

async function endOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ready',
    (error: unknown) => (error as Error).message,
  );
}

async function pinging(jobs: readonly (readonly JobNews[])[], own: Partial<Young> = {}) {
  const master = new ScriptedMaster({ jobs });
  const end = await endOf(allAnswer(master, young(own)));
  return { end, asked: master.published.length };
}

describe('test.ping of all', () => {
  it.each(PASSING)('is asked for again when it is refused by %s', async (code) => {
    expect(await pinging([[refused(code)], IDS.map(back)])).toEqual({ end: 'ready', asked: 2 });
  });

  it.each(STAYING)('ends at once when it is refused by %s', async (code) => {
    expect(await pinging([[refused(code)], IDS.map(back)])).toEqual({ end: `no: ${code}`, asked: 1 });
  });

  it('ends at once, too, when a process has ended: nobody starts it again', async () => {
    const dead = { isWhole: () => false };
    expect(await pinging([[refused('acl_unavailable')], IDS.map(back)], dead)).toMatchObject({ asked: 1 });
  });

  it('waits for nobody who is silent when a process has ended', async () => {
    const end = 'not every minion answered test.ping: a process of the cluster has ended';
    expect(await pinging([[back('web1')], IDS.map(back)], { isWhole: () => false })).toEqual({ end, asked: 1 });
  });

  it('says in the end what it was refused by last, or that one is silent', async () => {
    const silent = [back('web1')];
    const [no, end] = ['no: acl_unavailable', 'not every minion answered test.ping'];
    expect(await pinging([silent, silent, [refused('acl_unavailable')]])).toMatchObject({
      end: no,
    });
    expect(await pinging([[refused('acl_unavailable')], silent, silent])).toMatchObject({ end });
  });

  it('is not asked for where there is nobody', async () => {
    expect(await pinging([], { ids: [] })).toEqual({ end: 'ready', asked: 0 });
  });
});

describe('letting the minions in', () => {
  const KEYS: readonly KeyEntry[] = IDS.map((id) => ({ id, fingerprint: `of ${id}`, state: 'pending' }));

  /** Refuses the first list, and the first word. */
  async function lettingIn(no: Refusal, own: Partial<Young> = {}) {
    const master = new ScriptedMaster({ keys: KEYS });
    const [lists, words] = [[err(no)], [err(no)]];
    const keys = {
      ...master.keys,
      list: async () => lists.shift() ?? master.keys.list(),
      accept: async (pairs: readonly KeyEntry[]) => words.shift() ?? master.keys.accept(pairs),
    };
    const link = Object.assign(Object.create(master) as ScriptedMaster, { keys });
    const end = await endOf(letIn(link, { ...young(own), fingerOf: (id) => `of ${id}`, master: '/m' }));
    return { end, accepted: master.decided.flatMap(({ pairs }) => pairs.map(({ id }) => id)) };
  }

  it('goes on after a refusal that passes, and ends at one that stays', async () => {
    expect(await lettingIn(refusal('store_unavailable', 'busy'))).toEqual({ end: 'ready', accepted: IDS });
    expect(await lettingIn(refusal('not_permitted', 'no'))).toEqual({ end: 'no', accepted: [] });
    expect(await lettingIn(refusal('store_unavailable', 'busy'), { waitMs: 2 })).toEqual({ end: 'busy', accepted: [] });
  });
});

describe('the way in', () => {
  async function connecting(exit: number, own: Partial<Young> = {}) {
    const master = new ScriptedMaster();
    const problems = [err({ exit, sentence: 'closed' }), err({ exit, sentence: 'closed' })];
    const told: string[] = [];
    let asked = 0;
    const connect = () => {
      asked += 1;
      return Promise.resolve(problems.shift() ?? ok(master));
    };
    return { end: await endOf(linkedTo(connect, young(own), (sentence) => told.push(sentence))), asked, told };
  }

  it('is tried again while nobody answers, and not where the operator may not come in', async () => {
    const [closed, told] = [{ end: 'closed', asked: 1, told: [] }, ['closed; trying on for up to 4 s']];
    expect(await connecting(69, { waitMs: 4000 })).toEqual({ end: 'ready', asked: 3, told });
    expect(await connecting(69, { isWhole: () => false })).toEqual(closed);
    expect(await connecting(69, { waitMs: 1 })).toEqual(closed);
    expect(await connecting(78)).toEqual(closed);
  });
});
