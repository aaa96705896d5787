/**
 * Fuzzing for a time: each input is made from a seed, tried, and timed; what throws or takes too long is a finding that
 * names the seed and shows the input. Inputs are well-formed ones, the same with bytes edited, cut, doubled or put in, and
 * noise.
 */
import fc from 'fast-check';
import { seeded } from '@natrium/testing';

export interface Target {
  readonly name: string;
  /** Well-formed inputs, which are tried as they are and edited. */
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /** @throws For a defect; an input that is refused as it should be is no failure. */
  readonly attempt: (input: Uint8Array) => void | Promise<void>;
}

export interface Findings {
  readonly name: string;
  readonly inputs: number;
  readonly crashes: readonly string[];
  readonly hangs: readonly string[];
  /** Of one input. */
  readonly worstMs: number;
  /** What the process holds more than before, after a collection where there is one. */
  readonly grownMb: number;
}

/** One input may take so long; a pattern or a depth that explodes takes minutes, and does so again. */
const HANG_MS = 2000;
const BATCH = 64;
/** So many at least, however slow the machine is at first. */
export const LEAST_INPUTS = 10;
const SHOWN = 5;

export async function fuzz(target: Target, ms: number, seed: number): Promise<Findings> {
  const crashes: string[] = [];
  const hangs: string[] = [];
  const below = seeded(seed);
  const before = held();
  let inputs = 0;
  let worstMs = 0;
  const end = performance.now() + ms;
  const isOver = () => performance.now() > end && inputs > LEAST_INPUTS;
  while (!isOver() && crashes.length + hangs.length < SHOWN) {
    const batch = fc.sample(target.inputs, { numRuns: BATCH, seed: seed + inputs });
    for (const whole of batch) {
      const input = below(8) === 0 ? whole : mutated(whole, below);
      const attempt = async () => {
        const began = performance.now();
        try {
          await target.attempt(input);
        } catch (error) {
          crashes.push(`${String(error)} for ${shown(input)}`);
        }
        return performance.now() - began;
      };
      const first = await attempt();
      const took = first > HANG_MS ? Math.min(first, await attempt()) : first;
      if (took > HANG_MS) hangs.push(`${took.toFixed(0)} ms for ${shown(input)}`);
      worstMs = Math.max(worstMs, took);
      inputs += 1;
      if (isOver()) break;
    }
  }
  return { name: target.name, inputs, crashes, hangs, worstMs, grownMb: held() - before };
}

export function report({ name, inputs, crashes, hangs, worstMs, grownMb }: Findings): string {
  const counts = `${String(inputs)} inputs, ${String(crashes.length)} crashes, ${String(hangs.length)} hangs`;
  return `fuzz: ${name}: ${counts}, worst ${worstMs.toFixed(1)} ms, memory ${grownMb >= 0 ? '+' : ''}${grownMb.toFixed(1)} MB`;
}

type Below = (below: number) => number;

function mutated(bytes: Uint8Array, below: Below): Uint8Array {
  let edited = new Uint8Array(bytes);
  for (let times = 1 + below(4); times > 0; times -= 1) edited = mutatedOnce(edited, below);
  return edited;
}

function mutatedOnce(bytes: Uint8Array, below: Below): Uint8Array<ArrayBuffer> {
  const at = below(bytes.length + 1);
  const rest = bytes.subarray(at);
  switch (below(6)) {
    case 0:
      return bytes.slice(0, at);
    case 1:
      return joined(
        bytes.subarray(0, at),
        Uint8Array.from({ length: 1 + below(8) }, () => below(256)),
        rest,
      );
    case 2:
      return joined(bytes.subarray(0, at), rest.subarray(Math.min(rest.length, 1 + below(8))));
    case 3:
      return joined(bytes, bytes.subarray(at, at + below(64)));
    case 4:
      return joined(bytes.subarray(0, at), Uint8Array.of(below(256)), rest.subarray(1));
    default:
      return joined(bytes.subarray(0, at), Uint8Array.of((rest[0] ?? 0) ^ (1 << below(8))), rest.subarray(1));
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}

function shown(input: Uint8Array): string {
  return Buffer.from(input.subarray(0, 2000)).toString('base64');
}

/** MB. */
function held(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
