/** What one `natrium-key` command line wants done, and to which keys. */
import { type Options, UsageError } from '../common/options.js';
import type { KeyState, KeyVerb } from '../ports.js';

export type KeyAction =
  | { readonly kind: 'list'; readonly states: readonly KeyState[] }
  | { readonly kind: 'finger' | 'print'; readonly match: string }
  | {
      readonly kind: 'decide';
      readonly verb: KeyVerb;
      readonly match: string;
      readonly states: readonly KeyState[];
      /** The states that the sentence for no match names: Salt deletes from all and still says `unaccepted`. */
      readonly named: readonly KeyState[];
    };

/** In the order in which Salt prints them. */
export const KEY_STATES = ['accepted', 'denied', 'pending', 'rejected'] as const satisfies readonly KeyState[];

const BY_PREFIX: readonly (readonly [string, KeyState])[] = [
  ['acc', 'accepted'],
  ['den', 'denied'],
  ['pre', 'pending'],
  ['un', 'pending'],
  ['rej', 'rejected'],
];

/** @throws {UsageError} For two actions at once, or an unknown state. */
export function keyActionOf(options: Options): KeyAction {
  const found = ACTIONS.map((read) => read(options)).filter((action) => action !== undefined);
  if (found.length > 1) throw new UsageError('one action at most: list, finger, print, accept, reject or delete');
  return found[0] ?? { kind: 'list', states: KEY_STATES };
}

const ACTIONS: readonly ((options: Options) => KeyAction | undefined)[] = [
  (options) => listOf(options),
  (options) => look(options, 'finger'),
  (options) => look(options, 'print'),
  (options) => decide(options, 'accept', 'accept', ['rejected', 'denied']),
  (options) => decide(options, 'reject', 'reject', ['accepted', 'denied']),
  (options) => decide(options, 'delete', 'remove', ['accepted', 'rejected', 'denied']),
];

function listOf(options: Options): KeyAction | undefined {
  const word = options.text('list');
  if (word === undefined) return options.flag('listAll') ? { kind: 'list', states: KEY_STATES } : undefined;
  if (word.startsWith('all')) return { kind: 'list', states: KEY_STATES };
  const state = BY_PREFIX.find(([prefix]) => word.startsWith(prefix))?.[1];
  if (state === undefined) throw new UsageError(`option -l: '${word}' is none of pre, un, acc, rej, den, all`);
  return { kind: 'list', states: [state] };
}

function look(options: Options, kind: 'finger' | 'print'): KeyAction | undefined {
  if (options.flag(`${kind}All`)) return { kind, match: '*' };
  const match = options.text(kind);
  return match === undefined ? undefined : { kind, match };
}

/** @param further States beside `pending` that the `--include-…` options may add. */
function decide(options: Options, option: string, verb: KeyVerb, further: readonly KeyState[]): KeyAction | undefined {
  const match = options.flag(`${option}All`) ? '*' : options.text(option);
  if (match === undefined) return undefined;
  const named = (['pending', ...further] as const).filter((state) => state === 'pending' || included(options, state));
  return { kind: 'decide', verb, match, states: verb === 'remove' ? KEY_STATES : named, named };
}

function included(options: Options, state: Exclude<KeyState, 'pending'>): boolean {
  const flags = { accepted: 'includeAccepted', rejected: 'includeRejected', denied: 'includeDenied' } as const;
  return options.flag(flags[state]) || (state !== 'denied' && options.flag('includeAll'));
}
