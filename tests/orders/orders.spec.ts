/** A short round of orders of lost acknowledgements; the long one is `npm run drills -- --orders 20000`. */
import { printFigure } from '../support/figures.js';
import { BUILT } from '../support/places.js';
import { type Ran, runProgram } from '../support/run-program.js';
import { VirtualTime } from './virtual-time.js';

const ORDERS = 300;
/** A planted fault is found in one order of some hundred; it ends there. */
const AT_MOST = 3000;
const ROUND_MS = 120_000;

/** In a process of its own: its time is no other's. */
function drills(...words: readonly string[]): Promise<Ran> {
  return runProgram(process.execPath, [`${BUILT}/drills/main.mjs`, ...words], { timeoutMs: ROUND_MS });
}

describe('two gateways whose store loses acknowledgements', () => {
  it('keep every promise, whatever comes when', async () => {
    const { stdout, code, ms } = await drills('--orders', String(ORDERS));
    // The events of an order that breaks a promise are in what it says.
    expect(stdout).toMatch(/^300 orders from seed 1: .*no promise is broken/);
    expect(code).toBe(0);
    const [, ran] = /in (\d+) the job ran/.exec(stdout) ?? [];
    expect(Number(ran)).toBeGreaterThan(ORDERS / 2);
    printFigure(`${ORDERS} orders of lost acknowledgements`, ms);
  });

  it.each([
    ['closes-early', 'whoever goes on with the jobs of a gateway finds its open ones'],
    ['drops-any', 'a job that has run, or that was told to have begun, is kept with its grant'],
    ['forgets-grants', 'whoever goes on with the jobs of a gateway finds those that were sent and have no grant yet'],
    ['trusts-returns', 'the return of what has run is kept'],
  ])('break one where a fault is planted: %s', async (fault, promise) => {
    const { stdout, code } = await drills('--orders', String(AT_MOST), '--planted', fault);
    const [seed, ...said] = stdout.split('\n');
    expect([seed, code]).toEqual([expect.stringMatching(/^seed \d+ breaks:$/), 1]);
    expect(said).toContainEqual(expect.stringContaining(`  ${promise}`));
    expect(said).toContainEqual(expect.stringMatching(/^ *\d+ ms {2}the caller asks gw\d$/));
  });

  it('have the same order of events for the same seed', async () => {
    const round = () => drills('--orders', '20', '--planted', 'closes-early');
    const [first, second] = await Promise.all([round(), round()]);
    expect(first.stdout).toContain('breaks:');
    expect(second.stdout).toBe(first.stdout);
  });

  it.each([
    [['--orders', '0'], '--orders takes 1 at least'],
    [['--orders', 'many'], '--orders takes a number, not many'],
    [['--orders', '1', '--planted', 'nothing'], '--planted takes one of'],
    [['--planted', 'drops-any'], '--planted goes with --orders'],
  ])('are not tried with wrong words: %s', async (words, why) => {
    const { stdout, stderr, code } = await drills(...words);
    expect([stdout, code]).toEqual(['', 2]);
    expect(stderr).toContain(why);
  });
});

describe('virtual time', () => {
  it('brings timers in the order of their moments, and those of one moment as they were set', async () => {
    const time = new VirtualTime();
    const came: string[] = [];
    for (const [ms, name] of [
      [20, 'c'],
      [10, 'a'],
      [10, 'b'],
      [31, 'late'],
    ] as const)
      // prettier-ignore
      time.after(ms, () => came.push(`${name} at ${time.now}`));
    await time.run(30);
    expect([came, time.now]).toEqual([['a at 10', 'b at 10', 'c at 20'], 30]);
  });

  it('brings a process that stands still its timers when it goes on, and a dead one none', async () => {
    const time = new VirtualTime();
    const came: string[] = [];
    const standing = { isDead: false, standsUntil: 50 };
    const dead = { isDead: true, standsUntil: 0 };
    const restore = time.install();
    try {
      time.within(standing, () => setTimeout(() => came.push(`standing at ${time.now}`), 10));
      time.within(dead, () => setTimeout(() => came.push('dead'), 10));
      await time.run(100);
    } finally {
      restore();
    }
    expect(came).toEqual(['standing at 50']);
  });

  it('is nobody’s any more when it is put back', () => {
    const before = [setTimeout, setInterval, clearTimeout, Date.now, performance.now, AbortSignal.timeout];
    const restore = new VirtualTime().install();
    const now = performance.now();
    restore();
    expect(now).toBe(0);
    expect([setTimeout, setInterval, clearTimeout, Date.now, performance.now, AbortSignal.timeout]).toEqual(before);
    expect(performance.now()).toBeGreaterThan(0);
  });
});
