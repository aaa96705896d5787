/** A tag that two globs both match: whoever may fire what the one names can set off what waits for the other. */
import { compileGlob } from '@natrium/matchers';

const STAR = '*';
/** A set, or one character; a bracket that nothing closes is a character. */
const TOKEN = /\[!?\]?[^\]]*\]|[^]/gu;
const PRINTABLE = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
/** Stands for whatever a wildcard means. */
const FILLING = 'x';

/** @returns undefined when there is none. */
export function commonTag(left: string, right: string): string | undefined {
  const [one, other] = [tokensOf(left), tokensOf(right)];
  /** What is common to the rests from here on; filled from the ends. */
  const table = new Map<string, string | undefined>();
  const at = (i: number, j: number) => table.get(`${String(i)} ${String(j)}`);
  for (let i = one.length; i >= 0; i -= 1) {
    for (let j = other.length; j >= 0; j -= 1) {
      const rests = { both: at(i + 1, j + 1), left: at(i + 1, j), right: at(i, j + 1) };
      table.set(`${String(i)} ${String(j)}`, commonFrom(one[i], other[j], rests));
    }
  }
  return at(0, 0);
}

/** What is common behind both tokens, or behind one of them and from the other on. */
interface Rests {
  readonly both: string | undefined;
  readonly left: string | undefined;
  readonly right: string | undefined;
}

function commonFrom(one: string | undefined, other: string | undefined, rests: Rests): string | undefined {
  if (one === undefined && other === undefined) return '';
  if (one === STAR && other === STAR) return joined(FILLING, rests.both) ?? rests.left ?? rests.right;
  if (one === STAR) return rests.left ?? joined(common(other, other), rests.right);
  if (other === STAR) return rests.right ?? joined(common(one, one), rests.left);
  return joined(common(one, other), rests.both);
}

function joined(text: string | undefined, rest: string | undefined): string | undefined {
  return text === undefined || rest === undefined ? undefined : text + rest;
}

/** A character that both mean. */
function common(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined;
  const own = [one, other].filter((token) => [...token].length === 1);
  return [FILLING, ...own, ...PRINTABLE].find((char) => means(one, char) && means(other, char));
}

function means(token: string, char: string): boolean {
  const glob = compileGlob(token);
  return glob.ok && glob.value.test(char);
}

function tokensOf(glob: string): readonly string[] {
  return glob.match(TOKEN) ?? [];
}
