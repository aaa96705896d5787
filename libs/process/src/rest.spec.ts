import { setImmediate as turn } from 'node:timers/promises';
import { Rest } from './rest.js';
import { MACHINE, type Machine } from './v8-memory.js';

const IDLE = 10;
const WORK = 600;
const STILL_HARD = 1500;
/** Within a glance. */
const LIGHT_WORK = 300;
const HARD_WORK = 400;

let did: string[];
let kept: number;
let machine: Machine;
let used: number;
let young: number;
let room: number;
let rest: Rest;
beforeEach(() => {
  did = [];
  kept = 0;
  used = 20e6;
  young = 0;
  room = 30e6;
  machine = {
    collectHeap: () => {
      did.push('collect');
      used = 10e6;
      room = 20e6;
    },
    collectAtWork: () => did.push('collect at work'),
    collectYoung: () => did.push('collect young'),
    heap: () => ({ used, young, room }),
    frugal: {
      compileHot: (on) => did.push(on ? 'compile' : 'compile no more'),
      growFreely: (on) => did.push(on ? 'grow' : 'grow in steps'),
    },
  };
  rest = new Rest([part(), part()], machine);
});

/** Of a process that is not frugal. */
function modest(): Machine {
  const { collectHeap, collectAtWork, collectYoung, heap } = machine;
  return { collectHeap, collectAtWork, collectYoung, heap };
}

const part = () => ({
  forgetEnded: () => {
    did.push('forget');
    return kept;
  },
});

function looks(...spent: readonly number[]): readonly string[] {
  did.length = 0;
  for (const one of spent) rest.look(one);
  return did;
}

function glances(...spent: readonly number[]): readonly string[] {
  did.length = 0;
  for (const one of spent) rest.glance(one);
  return did;
}

it('what coming in left behind goes once when nothing is done, and its room at the next look', () => {
  expect(looks(IDLE)).toEqual(['forget', 'forget', 'collect']);
  expect(looks(IDLE)).toEqual(['forget', 'forget', 'collect']);
  expect(looks(IDLE, IDLE)).toEqual([]);
});

it('what the start itself has cost is no work, unless it is more than a start costs', () => {
  expect(looks(300)).toEqual(['forget', 'forget', 'collect']);
  expect(looks(300)).toEqual([]);
  rest = new Rest([part(), part()], machine);
  expect(looks(WORK)).toEqual([]);
});

it('nothing goes while there is work; what it left behind goes when the work is over', () => {
  looks(IDLE, IDLE);
  used += 1e6;
  expect(looks(WORK)).toEqual([]);
  expect(looks(IDLE, IDLE, IDLE)).toEqual(['forget', 'forget', 'collect', 'forget', 'forget', 'collect']);
});

it('work that has left next to nothing is forgotten, and costs no look through the heap', () => {
  looks(IDLE, IDLE);
  used += 0.5e6;
  expect(looks(WORK, IDLE, IDLE)).toEqual(['forget', 'forget']);
});

it('what grows without work goes as well, when it is worth it: garbage, or room', () => {
  looks(IDLE, IDLE);
  used += 0.5e6;
  expect(looks(IDLE)).toEqual([]);
  used += 0.5e6;
  expect(looks(IDLE, IDLE, IDLE)).toEqual(['forget', 'forget', 'collect', 'forget', 'forget', 'collect']);
  room += 2e6;
  expect(looks(IDLE)).toContain('collect');
});

it('what V8 has collected by itself is what counts from then on', () => {
  looks(IDLE, IDLE);
  used = 5e6;
  expect(looks(IDLE)).toEqual([]);
  used = 9e6;
  expect(looks(IDLE)).toContain('collect');
});

it('a large heap is left to V8: to collect it at once would keep everybody waiting', () => {
  used = 200e6;
  expect(looks(IDLE, IDLE)).toEqual(['forget', 'forget', 'forget', 'forget']);
  used = 100e6;
  expect(looks(IDLE)).toEqual([]);
  used = 110e6;
  expect(looks(IDLE)).toContain('collect');
});

it('what must still be remembered is looked at again until it has ended', () => {
  kept = 1;
  const tidied = ['forget', 'forget', 'collect'];
  expect(looks(IDLE, IDLE, IDLE)).toEqual([...tidied, ...tidied, 'forget', 'forget']);
  kept = 0;
  expect(looks(IDLE)).toEqual(['forget', 'forget', 'collect']);
  expect(looks(IDLE)).toEqual([]);
});

it('nothing more is compiled for good at rest after a second of work, however it was spread; before it, it is', () => {
  looks(...Array.from({ length: 1000 }, () => IDLE), WORK);
  expect(looks(IDLE)).not.toContain('compile no more');
  looks(WORK);
  expect(looks(IDLE)).toContain('compile no more');
});

it('who is hard at work compiles again what is hot, and its heap grows freely, both until the next rest', () => {
  looks(WORK, WORK, IDLE);
  expect(glances(LIGHT_WORK, LIGHT_WORK)).toEqual([]);
  expect(glances(HARD_WORK, HARD_WORK)).toEqual(['grow', 'compile']);
  expect(looks(STILL_HARD)).toEqual([]);
  expect(looks(IDLE)).toEqual(['grow in steps', 'forget', 'forget', 'collect', 'compile no more']);
  expect(glances(HARD_WORK)).toEqual(['grow', 'compile']);
});

it('hard work that has become light gives up what grew, once, and goes on', () => {
  glances(HARD_WORK);
  expect(looks(STILL_HARD, WORK, WORK)).toEqual(['grow in steps', 'collect']);
  expect(glances(HARD_WORK)).toEqual(['grow', 'compile']);
});

it('who never rests collects what has grown old, every minute', () => {
  rest = new Rest([part()], modest());
  expect(looks(...Array<number>(5).fill(WORK))).toEqual([]);
  expect(looks(WORK)).toEqual(['collect at work']);
  expect(looks(...Array<number>(5).fill(WORK))).toEqual([]);
  expect(looks(WORK)).toEqual(['collect at work']);
  looks(...Array<number>(5).fill(WORK));
  expect(looks(IDLE, WORK)).not.toContain('collect at work');
});

it('nor does it where that would keep everybody waiting', () => {
  rest = new Rest([part()], modest());
  used = 65e6;
  expect(looks(...Array<number>(90).fill(WORK))).toEqual([]);
});

it('a frugal one does so too, unless it is hard at work', () => {
  expect(looks(...Array<number>(12).fill(WORK))).toEqual(['collect at work', 'collect at work']);
  glances(HARD_WORK);
  expect(looks(...Array<number>(12).fill(STILL_HARD))).toEqual([]);
});

it('what an idle frugal one leaves behind while it is young is collected before it is much, and not while it works', () => {
  looks(WORK, IDLE, IDLE);
  young = 127e3;
  expect(looks(IDLE)).toEqual([]);
  young = 129e3;
  expect(looks(WORK)).toEqual([]);
  looks(IDLE);
  expect(looks(IDLE, IDLE)).toEqual(['collect young', 'collect young']);
});

it('nor is it by who is not frugal', () => {
  rest = new Rest([part()], modest());
  looks(WORK, IDLE, IDLE);
  young = 30e6;
  expect(looks(IDLE)).toEqual([]);
});

it('who is not frugal tidies up, and nothing else', () => {
  rest = new Rest([part()], modest());
  looks(WORK, WORK);
  expect(glances(HARD_WORK)).toEqual([]);
  expect(looks(WORK)).toEqual([]);
  expect(looks(IDLE)).toEqual(['forget', 'collect']);
});

it.each(['collectHeap', 'collectAtWork'] as const)('%s of this process takes what has grown old', async (collect) => {
  let kept: object | undefined = {};
  const seen = new WeakRef(kept);
  for (let times = 0; times < 3; times += 1) {
    await turn();
    MACHINE.collectAtWork(); // what lives through it is old; the other takes five times as long
  }
  expect(seen.deref()).toBe(kept);
  kept = undefined;
  await turn();
  MACHINE[collect]();
  expect(seen.deref()).toBeUndefined();
});

it('what of this process is young and garbage goes when that is collected, and at rest', () => {
  for (const collect of ['collectYoung', 'collectHeap'] as const) {
    const garbage = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const { young } = MACHINE.heap();
    garbage.length = 0;
    MACHINE[collect]();
    expect(MACHINE.heap().young).toBeLessThan(young - 100e3);
  }
});
