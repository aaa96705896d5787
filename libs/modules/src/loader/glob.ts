/**
 * Shell globs over short names: `*`, `?`, `[seq]`, `[!seq]`, as Python's fnmatch, in time linear in pattern times text.
 * For names of this library's own things; who is targeted is decided by `libs/matchers`.
 */
type Test = (char: string) => boolean;
type Piece = Test | 'any run';

export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = piecesOf([...pattern]);
  const chars = [...text];
  // The set of pieces reached so far, moved on by each character: no backtracking.
  let reached = skipRuns(pieces, new Set([0]));
  for (const char of chars) {
    const next = new Set<number>();
    for (const at of reached) {
      const piece = pieces[at];
      if (piece === 'any run') next.add(at);
      else if (piece?.(char) === true) next.add(at + 1);
    }
    reached = skipRuns(pieces, next);
  }
  return reached.has(pieces.length);
}

function skipRuns(pieces: readonly Piece[], reached: Set<number>): Set<number> {
  for (const at of reached) if (pieces[at] === 'any run') reached.add(at + 1);
  return reached;
}

function piecesOf(pattern: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? '';
    const end = char === '[' ? pattern.indexOf(']', at + (pattern[at + 1] === '!' ? 3 : 2)) : -1;
    if (char === '*') pieces.push('any run');
    else if (char === '?') pieces.push(() => true);
    else if (end > 0) {
      pieces.push(classOf(pattern.slice(at + 1, end)));
      at = end;
    } else pieces.push((other) => other === char);
  }
  return pieces;
}

function classOf(inside: readonly string[]): Test {
  const negated = inside[0] === '!';
  const body = negated ? inside.slice(1) : inside;
  const tests: Test[] = [];
  for (let at = 0; at < body.length; at += 1) {
    const from = body[at] ?? '';
    const to = body[at + 1] === '-' ? body[at + 2] : undefined;
    if (to === undefined) tests.push((char) => char === from);
    else {
      tests.push((char) => char >= from && char <= to);
      at += 2;
    }
  }
  return (char) => tests.some((test) => test(char)) !== negated;
}
