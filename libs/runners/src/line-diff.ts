/** The hunks of a unified diff without context, as Python's `difflib.unified_diff(n=0)` writes them. */

/** More lines than that are told as one replaced block: the table of the comparison grows with the product. */
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
  const pairs = [...commonLines(a, b), [a.length, b.length] as const];
  const found: Block[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of pairs) {
    if (nextI > i || nextJ > j) found.push({ from: i, gone: a.slice(i, nextI), to: j, come: b.slice(j, nextJ) });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return found;
}

/** Places of a longest common subsequence. */
function commonLines(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS) return [];
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
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
