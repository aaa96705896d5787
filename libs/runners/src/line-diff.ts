/** The hunks of a unified diff without context, as Python's `difflib.unified_diff(n=0)` writes them. */

/** More lines than that, behind those that both begin with, are told as one replaced block: the table of the comparison grows with the product. */
const MAX_CELLS = 4_000_000;

interface Block {
  readonly from: number;
  readonly gone: readonly string[];
  readonly to: number;
  readonly come: readonly string[];
}

export function diffLines(from: readonly string[], to: readonly string[]): readonly string[] {
  return blocks(from, to).flatMap(({ from: at, gone, to: there, come }) => [
    `@@ -${range(at, gone.length)} +${range(there, come.length)} @@`,
    ...gone.map((line) => `-${line}`),
    ...come.map((line) => `+${line}`),
  ]);
}

/** Counted from 1; an empty range names the line before it. */
function range(at: number, length: number): string {
  if (length === 1) return String(at + 1);
  return `${String(length === 0 ? at : at + 1)},${String(length)}`;
}

function blocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  const same = a.findIndex((line, index) => line !== b[index]);
  const start = same === -1 ? a.length : same;
  const common = commonLines(a.slice(start), b.slice(start)).map(([i, j]) => [start + i, start + j] as const);
  const found: Block[] = [];
  let [i, j] = [start, start];
  for (const [nextI, nextJ] of [...common, [a.length, b.length] as const]) {
    if (nextI > i || nextJ > j) found.push({ from: i, gone: a.slice(i, nextI), to: j, come: b.slice(j, nextJ) });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return found;
}

/** Places of a longest common subsequence. */
function commonLines(from: readonly string[], to: readonly string[]): readonly (readonly [number, number])[] {
  const width = to.length + 1;
  if ((from.length + 1) * width > MAX_CELLS) return [];
  const number = numbering();
  const [a, b] = [Uint32Array.from(from, number), Uint32Array.from(to, number)];
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const line = a[i];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = line === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The same line is the same number: each is compared with all others. */
function numbering(): (line: string) => number {
  const numbers = new Map<string, number>();
  return (line) => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
}
