/** Rules of the budget: a burst, then the steady rate; one caller's flood takes nothing from another. */
import { Budget } from './budget.js';

const NOW = 1_795_000_000_000;
const LIMITS = { rate: 10, burst: 3 };

function taken(budget: Budget, caller: string, times: number, nowMs: number): number {
  return Array.from({ length: times }, () => budget.take(caller, nowMs)).filter(Boolean).length;
}

it('lets a burst through, then as much as time brings', () => {
  const budget = new Budget(LIMITS);
  expect(taken(budget, 'web1', 20_000, NOW)).toBe(3);
  expect(taken(budget, 'web1', 5, NOW + 100)).toBe(1);
  expect(taken(budget, 'web1', 50, NOW + 60_000)).toBe(3);
});

it('has again what is given back, and never more than a burst', () => {
  const budget = new Budget(LIMITS);
  taken(budget, 'web1', 3, NOW);
  budget.give('web1', 2, NOW);
  expect(taken(budget, 'web1', 5, NOW)).toBe(2);
  for (const caller of ['web1', 'web2']) {
    budget.give(caller, 9, NOW);
    expect(taken(budget, caller, 9, NOW)).toBe(3);
  }
});

it('takes nothing from anybody else', () => {
  const budget = new Budget(LIMITS);
  expect(taken(budget, 'web1', 20_000, NOW)).toBe(3);
  expect(taken(budget, 'web2', 3, NOW)).toBe(3);
});

it('is told of a caller once, until it has been in order', () => {
  const told: string[] = [];
  const budget = new Budget(LIMITS, (caller) => told.push(caller));
  taken(budget, 'web1', 100, NOW);
  taken(budget, 'web1', 100, NOW + 100);
  expect(told).toEqual(['web1']);
  taken(budget, 'web1', 1, NOW + 60_000);
  taken(budget, 'web1', 100, NOW + 60_000);
  expect(told).toEqual(['web1', 'web1']);
});

it('is told again of a caller who may save up no more than one token, too', () => {
  const told: string[] = [];
  const budget = new Budget({ rate: 1, burst: 1 }, (caller) => told.push(caller));
  for (const nowMs of [NOW, NOW + 60_000]) taken(budget, 'web1', 3, nowMs);
  expect(told).toEqual(['web1', 'web1']);
});

it('lets a caller who was charged more than he had ask nothing until time has brought it', () => {
  const budget = new Budget(LIMITS);
  taken(budget, 'web1', 1, NOW);
  budget.charge('web1', 12, NOW);
  expect(taken(budget, 'web1', 5, NOW + 1000)).toBe(0);
  expect(taken(budget, 'web1', 5, NOW + 1100)).toBe(1);
  expect(taken(budget, 'web2', 3, NOW + 1000)).toBe(3);
});

it('charges also a caller that nothing was taken of', () => {
  const budget = new Budget(LIMITS);
  budget.charge('web1', 12, NOW);
  expect([budget.isSpent('web1', NOW), budget.isSpent('web2', NOW)]).toEqual([true, false]);
});

it('gives nothing for a clock that goes back', () => {
  const budget = new Budget(LIMITS);
  taken(budget, 'web1', 3, NOW);
  expect(taken(budget, 'web1', 3, NOW - 60_000)).toBe(0);
});

it('keeps a bounded table: who is in order is forgotten first, and newcomers wait', () => {
  const budget = new Budget(LIMITS, undefined, 2);
  taken(budget, 'a', 1, NOW);
  taken(budget, 'b', 1, NOW);
  expect([budget.isSpent('c', NOW), budget.take('c', NOW)]).toEqual([true, false]);
  expect([budget.isSpent('c', NOW + 1000), budget.take('c', NOW + 1000)]).toEqual([false, true]);
});

it('is none with a rate of 0', () => {
  expect(taken(new Budget({ rate: 0, burst: 1 }), 'web1', 20_000, NOW)).toBe(20_000);
});
