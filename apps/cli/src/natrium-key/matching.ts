/** Which keys an id or glob (or a list divided by commas) means, and how they are shown by state. */
import { compileGlob } from '@natrium/matchers';
import { UsageError } from '../common/options.js';
import type { KeyEntry, KeyState } from '../ports.js';
import { KEY_STATES } from './key-action.js';

/** Salt's names of the states, as `--out json` prints them. */
const STATE_NAME: Readonly<Record<KeyState, string>> = {
  accepted: 'minions',
  pending: 'minions_pre',
  rejected: 'minions_rejected',
  denied: 'minions_denied',
};

const STATE_WORD: Readonly<Record<KeyState, string>> = {
  accepted: 'accepted',
  pending: 'unaccepted',
  rejected: 'rejected',
  denied: 'denied',
};

/** Entries in one of `states` that `match` means, sorted by id, whatever the case of its letters. */
export function matching(
  entries: readonly KeyEntry[],
  match: string,
  states: readonly KeyState[],
  fingerprint = '',
): readonly KeyEntry[] {
  const means = meaning(match);
  return entries
    .filter(({ id, state }) => states.includes(state) && means(id))
    .filter((entry) => entry.fingerprint.startsWith(fingerprint))
    .sort(byId);
}

function byId({ id: a }: KeyEntry, { id: b }: KeyEntry): number {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  if (first !== second) return first < second ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/** The cluster's own keys that `match` means, under their heading. */
export function ownKeys(
  local: Readonly<Record<string, string>>,
  match: string,
  fingerprint = '',
): { readonly local?: Readonly<Record<string, string>> } {
  const means = meaning(match);
  const own = Object.entries(local).filter(([name, text]) => means(name) && text.startsWith(fingerprint));
  return own.length === 0 ? {} : { local: Object.fromEntries(own) };
}

function meaning(match: string): (id: string) => boolean {
  const globs = match.split(',').map((text) => globOf(text.trim()));
  return (id) => globs.some((glob) => glob.test(id));
}

function globOf(text: string): { test(id: string): boolean } {
  const glob = compileGlob(text);
  if (!glob.ok) throw new UsageError(`the glob ${glob.error.pattern} can't be used: ${glob.error.reason}`);
  return glob.value;
}

/** Ids by state; every state of `states` has its heading, also without keys. */
export function idsByState(
  entries: readonly KeyEntry[],
  states: readonly KeyState[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    states.map((state) => [STATE_NAME[state], entries.filter((entry) => entry.state === state).map(({ id }) => id)]),
  );
}

/** A text of each key by state and id; states without keys are left out. */
export function textsByState(
  entries: readonly KeyEntry[],
  textOf: (entry: KeyEntry) => string,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const states = KEY_STATES.filter((state) => entries.some((entry) => entry.state === state));
  return Object.fromEntries(
    states.map((state) => [
      STATE_NAME[state],
      textsOf(
        entries.filter((entry) => entry.state === state),
        textOf,
      ),
    ]),
  );
}

/** Several keys under one id are one text of several parts. */
function textsOf(entries: readonly KeyEntry[], textOf: (entry: KeyEntry) => string): Readonly<Record<string, string>> {
  const texts = new Map<string, string>();
  for (const entry of entries) {
    const earlier = texts.get(entry.id);
    texts.set(entry.id, earlier === undefined ? textOf(entry) : `${earlier}, ${textOf(entry)}`);
  }
  return Object.fromEntries(texts);
}

export function noMatchSentence(match: string, states: readonly KeyState[]): string {
  const words = states.map((state) => STATE_WORD[state]);
  const last = words.at(-1) ?? '';
  const list = words.length === 1 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
  return `The key glob '${match}' does not match any ${list} keys.`;
}
