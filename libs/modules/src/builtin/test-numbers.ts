/** The functions of `test` that give a minion something to do, with bounds that keep it answering. */
import { float, type Value } from '@natrium/model';
import { createHash, getHashes, randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';

const MAX_FIBONACCI = 1_000;
const MAX_STEPS = 100_000;
const MAX_RANDOM = 2 ** 48 - 1;

export const numberFunctions = {
  collatz: fn(
    {
      doc: 'The Collatz sequence from a number, and the seconds that it took.',
      params: [{ name: 'start', type: 'int' }],
      examples: ['test.collatz 3'],
    },
    ({ start }) => timed(() => collatz(start)),
  ),
  fib: fn(
    {
      doc: 'The Fibonacci number at a place, and the seconds that it took.',
      params: [{ name: 'num', type: 'int' }],
      examples: ['test.fib 3'],
    },
    ({ num }) => timed(() => fibonacci(num)),
  ),
  random_hash: fn(
    {
      doc: 'The hash of a random number.',
      params: [
        { name: 'size', type: 'int', default: 9_999_999_999, doc: 'The largest number.' },
        { name: 'hash_type', type: 'str', default: 'sha256', doc: 'md5, sha1, sha256, sha512, …' },
      ],
    },
    ({ size, hash_type: type }) => randomHash(size, type),
  ),
};

function timed(work: () => Value): Value {
  const begin = performance.now();
  const result = work();
  return [result, float((performance.now() - begin) / 1000)];
}

function collatz(start: number): Value {
  if (start < 1) throw new InvocationError('the sequence begins with a number above 0');
  const steps: number[] = [];
  for (let n = start; n !== 1 && steps.length < MAX_STEPS; n = n % 2 === 0 ? n / 2 : n * 3 + 1) steps.push(n);
  return steps;
}

function fibonacci(place: number): Value {
  if (place < 0 || place > MAX_FIBONACCI)
    throw new InvocationError(`a place from 0 to ${String(MAX_FIBONACCI)} is possible`);
  let [a, b] = [0n, 1n];
  for (let i = 0; i < place; i += 1) [a, b] = [b, a + b];
  return a <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(a) : a;
}

function randomHash(size: number, type: string): string {
  if (!getHashes().includes(type)) throw new InvocationError(`there is no hash called ${type}`);
  if (size < 1 || size > MAX_RANDOM) throw new InvocationError(`a size from 1 to ${String(MAX_RANDOM)} is possible`);
  return createHash(type)
    .update(String(randomInt(size)))
    .digest('hex');
}
