/** Rules of a run's end: it is its runner-service's until a gateway has kept it, its own or, where that is gone, another one. */
import type { AskFailure } from '@natrium/bus';
import type { KnownParty } from '@natrium/envelope';
import { err, ok, type Refusal, refusal } from '@natrium/model';
import { type Body, type contracts } from '@natrium/wire';
import { RunEnds } from './run-ends.js';

const JID = '20261120141646000001';
const GATEWAY = { owner: { type: 'role', role: 'gateway', instance: 'g1' } } as unknown as KnownParty;
const OTHER = { owner: { type: 'role', role: 'gateway', instance: 'g2' } } as unknown as KnownParty;
const RUN = { request: Uint8Array.of(1), grant: { bytes: Uint8Array.of(2) }, jid: JID } as unknown as Body<
  typeof contracts.run
>;
const RAN = { refusal: null, jid: JID, outcome: { ret: 7, retcode: 0, success: true, out: null } };

type Look = 'not kept' | 'kept' | AskFailure;
/** As of an outcome that no encoding carries. */
const UNSENDABLE = 'unsendable';
type Taking = Refusal | null | AskFailure | typeof UNSENDABLE;

class Service {
  readonly handed: unknown[] = [];
  readonly problems: string[] = [];
  looks = 0;
  readonly ends: RunEnds;
  #time = 0;

  /** What its own gateway says each time, the last again and again, and what others say when they are to keep it. */
  constructor(looks: readonly Look[], taking: readonly Taking[] = [null]) {
    const log = { warn: () => undefined, error: (_: unknown, text: string) => this.problems.push(text) };
    const bus = {
      ask: async ({ contract, subject, body, to }: Asking) => {
        await Promise.resolve();
        if (contract.kind === 'kept') {
          expect([subject, to()]).toEqual(['kept.g1', [GATEWAY]]);
          const { jids } = body as { readonly jids: readonly string[] };
          const look = looks[Math.min(this.looks++, looks.length - 1)] ?? 'kept';
          if (look === 'timeout') this.#time += 1500;
          return look === 'not kept' || look === 'kept'
            ? ok({ body: { kept: look === 'kept' ? jids : [] } })
            : err(look);
        }
        expect([subject, to()]).toEqual(['ended', [OTHER]]);
        const said = taking[Math.min(this.handed.length, taking.length - 1)] ?? null;
        this.handed.push(body);
        if (said === UNSENDABLE) throw new Error('half a character');
        return typeof said === 'string' ? err(said) : ok({ body: { refusal: said, result: null } });
      },
    };
    const link = {
      bus,
      subjects: { svcGwKept: (instance: string) => `kept.${instance}`, svcGw: (verb: string) => verb },
      directory: { role: () => [OTHER] },
    };
    this.ends = new RunEnds(link as never, log as never, {
      now: () => this.#time,
      pause: (ms) => {
        this.#time += ms;
        return Promise.resolve();
      },
    });
  }

  see(running: Promise<typeof RAN> = Promise.resolve(RAN), jid = JID): Promise<boolean> {
    return this.ends.see({ body: { ...RUN, jid }, party: GATEWAY }, running);
  }

  get seconds(): number {
    return this.#time / 1000;
  }
}

interface Asking {
  readonly contract: { readonly kind: string };
  readonly subject: string;
  readonly body: unknown;
  to(): readonly KnownParty[];
}

it('an end that its own gateway has kept is handed to nobody', async () => {
  const service = new Service(['kept']);
  expect(await service.see()).toBe(false);
  expect([service.looks, service.handed]).toEqual([1, []]);
});

it('one that is being kept is waited for', async () => {
  const service = new Service(['not kept', 'not kept', 'not kept', 'kept']);
  expect(await service.see()).toBe(false);
  expect([service.looks, service.handed]).toEqual([4, []]);
});

it('of a gateway that is gone another one keeps it, with the grant that proves it', async () => {
  const service = new Service(['not kept', 'no_responders']);
  expect(await service.see()).toBe(true);
  const { request, grant } = RUN;
  expect(service.handed).toEqual([{ request, grant, jid: JID, refusal: null, outcome: RAN.outcome }]);
  expect(service.problems).toEqual([]);
});

it.each<Look>(['timeout', 'not kept', 'turned_away'])(
  'a gateway that has not kept it after ten seconds is not waited for, and not before: %s',
  async (look) => {
    const slow = new Service([...Array.from({ length: 5 }, () => look), 'kept']);
    expect(await slow.see()).toBe(false);
    const never = new Service([look]);
    expect(await never.see()).toBe(true);
    expect(never.seconds).toBeGreaterThanOrEqual(10);
    expect(never.seconds).toBeLessThan(13);
    expect(never.handed).toHaveLength(1);
  },
);

it('what ran under another jid is handed over as that, and nothing as run under its own', async () => {
  const service = new Service(['no_responders']);
  await service.see(Promise.resolve({ ...RAN, jid: '20261120141640000001' }));
  expect(service.handed).toMatchObject([{ jid: JID, refusal: { code: 'already_ran' }, outcome: null }]);
});

it('beside a large request it is cut to what a message carries, and only then', async () => {
  const outcome = { ...RAN.outcome, ret: 'x'.repeat(7 << 20) };
  const handed = async (request: Uint8Array) => {
    const service = new Service(['no_responders'], ['timeout', 'timeout', null]);
    await service.ends.see({ body: { ...RUN, request }, party: GATEWAY }, Promise.resolve({ ...RAN, outcome }));
    return (service.handed as { readonly outcome: { readonly ret: string } }[]).map(
      ({ outcome: { ret } }) => ret.length,
    );
  };
  expect(await handed(Uint8Array.of(1))).toEqual([7 << 20, 7 << 20, 7 << 20]);
  for (const length of await handed(new Uint8Array(3 << 20))) expect(length).toBeLessThan(5 << 20);
});

it('one that no gateway can write is handed over until one can', async () => {
  const unstored = refusal('store_unavailable', 'not yet');
  const service = new Service(['no_responders'], [unstored, unstored, null]);
  expect(await service.see()).toBe(true);
  expect([service.handed.length, service.problems]).toEqual([3, []]);
});

it('one that cannot be sent at all ends nothing else, and the log says so', async () => {
  const service = new Service(['no_responders'], [UNSENDABLE]);
  expect(await service.see()).toBe(true);
  expect(service.problems).toEqual(['what a run answered is lost: it could not be sent']);
});

it('a stop waits two seconds for a gateway, and the log names what may be lost', async () => {
  const service = new Service(['no_responders'], ['no_responders']);
  service.ends.hurry();
  await service.see();
  expect(service.seconds).toBeLessThan(5);
  expect(service.problems).toEqual(['what a run answered may be lost: no gateway has said that it keeps it']);
});

it('while no gateway is there, it is told again until one is', async () => {
  const service = new Service(['no_responders'], ['no_responders', 'nobody_known', 'timeout', null]);
  expect(await service.see()).toBe(true);
  expect([service.handed.length, service.problems]).toEqual([4, []]);
});

it('it is given up after ten minutes, and the log says that it may be lost', async () => {
  const service = new Service(['no_responders'], ['no_responders']);
  await service.see();
  expect(service.seconds).toBeGreaterThanOrEqual(600);
  expect(service.problems).toEqual(['what a run answered may be lost: no gateway has said that it keeps it']);
});

it('one that is refused is not told again, and the log says why', async () => {
  const service = new Service(['no_responders'], [refusal('grant_signature', 'no acl-service has granted it')]);
  await service.see();
  expect(service.handed).toHaveLength(1);
  expect(service.problems).toEqual(['what a run answered is not kept: no acl-service has granted it']);
});

it('of a run that could not be written down nothing is told', async () => {
  const service = new Service(['no_responders']);
  expect(await service.see(Promise.reject(new Error('the broker is away')))).toBe(false);
  expect([service.looks, service.handed]).toEqual([0, []]);
});

it('it is settled when each end is kept, of runs under way too', async () => {
  const service = new Service(['kept']);
  let end: (ran: typeof RAN) => void = () => undefined;
  void service.see(new Promise((resolve) => (end = resolve)));
  let isSettled = false;
  const settled = service.ends.settled().then(() => (isSettled = true));
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  end(RAN);
  await settled;
  expect(service.looks).toBe(1);
});

it('one that its gateway has handed over twice is settled for both', async () => {
  const service = new Service(['kept']);
  expect(await Promise.all([service.see(), service.see()])).toEqual([false, false]);
  await service.ends.settled();
  expect(service.handed).toEqual([]);
});

it('of many runs of one gateway one question asks', async () => {
  const service = new Service(['not kept', 'kept']);
  const all = await Promise.all(
    Array.from({ length: 3 }, (_, n) => service.see(undefined, `2026112014164600000${String(n)}`)),
  );
  expect(all).toEqual([false, false, false]);
  expect(service.looks).toBe(2);
});
