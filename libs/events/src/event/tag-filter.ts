/** Which tags a listener wants, with Salt's kinds of match; regular expressions run in linear time. */
import { compileGlob, compilePattern, compileWholeMatch } from '@natrium/matchers';
import { err, ok, type Result } from '@natrium/model';

export const MATCH_TYPES = ['startswith', 'endswith', 'find', 'fnmatch', 'regex', 'expr'] as const;
/** `fnmatch` is a shell glob over the whole tag, `regex` is found anywhere in it, `expr` is a glob or else a whole regex. */
export type MatchType = (typeof MATCH_TYPES)[number];

export type TagTest = (tag: string) => boolean;

const MAX_TAGS = 100;
/** Of all regular expressions of a subscription, in bytes of the engine's programs: each event runs through them, and what counts hundreds of repeats takes milliseconds. */
const MAX_SIZE = 131_072;

interface Compiled {
  readonly test: TagTest;
  /** Of a regular expression. */
  readonly size?: number;
}

/** @returns What is wrong, in words, when a pattern is none. */
export function compileTags(tags: readonly string[], match: MatchType = 'startswith'): Result<TagTest, string> {
  if (tags.length > MAX_TAGS) return err(`at most ${String(MAX_TAGS)} tags in one subscription`);
  if (tags.length === 0 || (match === 'startswith' && tags.includes(''))) return ok(() => true);
  const tests: TagTest[] = [];
  let left = MAX_SIZE;
  for (const tag of tags) {
    const compiled = compileOne(tag, match);
    if (!compiled.ok) return compiled;
    const { test, size = 0 } = compiled.value;
    left -= size;
    if (left < 0) return err('the regular expressions of one subscription, with all that they count, are too large');
    tests.push(test);
  }
  const [only] = tests;
  return ok(only !== undefined && tests.length === 1 ? only : (tag) => tests.some((test) => test(tag)));
}

function compileOne(text: string, match: MatchType): Result<Compiled, string> {
  switch (match) {
    case 'startswith':
      return ok({ test: (tag) => tag.startsWith(text) });
    case 'endswith':
      return ok({ test: (tag) => tag.endsWith(text) });
    case 'find':
      return ok({ test: (tag) => tag.includes(text) });
    case 'fnmatch': {
      const glob = compileGlob(text);
      return glob.ok ? ok({ test: glob.value.test }) : err(`${text} is no glob: ${glob.error.reason}`);
    }
    case 'regex': {
      // By itself first: within a group of ours another text may be one, such as `a)(?:b`.
      const alone = compilePattern(text, { mode: 'prefix' });
      const pattern = alone.ok ? compilePattern(anywhere(text), { mode: 'prefix' }) : alone;
      return pattern.ok ? ok(pattern.value) : err(`${text} is no regular expression: ${pattern.error.reason}`);
    }
    case 'expr': {
      const pattern = compilePattern(text, { mode: 'whole' });
      return ok({ test: compileWholeMatch(text).test, ...(pattern.ok ? { size: pattern.value.size } : {}) });
    }
  }
}

/** Python's `search` as its `match`; flags stay at the front. Where there is a choice, what stands before it is of its first branch only. */
function anywhere(text: string): string {
  if (/^(?:\^|\.\*)[^|]*$/.test(text)) return text;
  const [, flags = '', rest = text] = /^(\(\?[a-zA-Z]+\))([\s\S]*)$/.exec(text) ?? [];
  return `${flags}[\\s\\S]*(?:${rest})`;
}
