/**
 * Shell globs as Python's fnmatch: `*`, `?`, `[seq]`, `[!seq]`, in time of at most pattern times text.
 * For what functions match themselves: commands, files, services, jobs. Targets and permissions are matched by
 * `libs/matchers`, which this library may not import.
 */
type Test = (char: string) => boolean;
type Piece = Test | 'any run';

export function matchesGlob(pattern: string, text: string): boolean {
  return compileGlob(pattern)(text);
}

/** The same for a pattern that is asked of many texts. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const pieces = piecesOf([...pattern]);
  return (text) => matches(pieces, [...text]);
}

/** On a mismatch only the last `*` is tried again, one character longer each time. */
function matches(pieces: readonly Piece[], chars: readonly string[]): boolean {
  let [at, piece, run, resume] = [0, 0, -1, 0];
  while (at < chars.length) {
    const now = pieces[piece];
    if (now === 'any run') {
      run = piece;
      resume = at;
      piece += 1;
    } else if (now?.(chars[at] ?? '') === true) {
      piece += 1;
      at += 1;
    } else if (run >= 0) {
      piece = run + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return pieces.slice(piece).every((rest) => rest === 'any run');
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
