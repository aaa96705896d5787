import { type Machine, Rest } from './rest.js';

const IDLE = 10;
const WORK = 600;
const HARD_WORK = 6000;

let did: string[];
let kept: number;
let rest: Rest;
beforeEach(() => {
  did = [];
  kept = 0;
  const machine: Machine = {
    collectHeap: () => did.push('collect'),
    compileHot: (on) => did.push(on ? 'compile' : 'compile no more'),
  };
  const part = () => ({
    forgetEnded: () => {
      did.push('forget');
      return kept;
    },
  });
  rest = new Rest([part(), part()], machine);
});

function looks(...spent: readonly number[]): readonly string[] {
  did.length = 0;
  for (const one of spent) rest.look(one);
  return did;
}

it('what coming in left behind goes once, when nothing is done', () => {
  expect(looks(IDLE)).toEqual(['forget', 'forget', 'collect']);
  expect(looks(IDLE, IDLE)).toEqual([]);
});

it('nothing goes while there is work; it goes when the work is over, once', () => {
  looks(IDLE);
  expect(looks(WORK)).toEqual([]);
  expect(looks(IDLE, IDLE)).toEqual(['forget', 'forget', 'collect']);
});

it('what must still be remembered is looked at again until it has ended', () => {
  kept = 1;
  expect(looks(IDLE, IDLE)).toEqual(['forget', 'forget', 'collect', 'forget', 'forget', 'collect']);
  kept = 0;
  looks(IDLE);
  expect(looks(IDLE)).toEqual([]);
});

it('nothing more is compiled for good at rest after a second of work, however it was spread; before it, it is', () => {
  looks(...Array.from({ length: 1000 }, () => IDLE), WORK);
  expect(looks(IDLE)).not.toContain('compile no more');
  looks(WORK);
  expect(looks(IDLE)).toContain('compile no more');
});

it('work that takes more than half a processor compiles again what is hot, until the next rest', () => {
  looks(WORK, WORK, IDLE);
  expect(looks(WORK)).toEqual([]);
  expect(looks(HARD_WORK)).toEqual(['compile']);
  expect(looks(IDLE)).toContain('compile no more');
});
