/**
 * `natrium-key`: list the keys, show them, then decide exactly those that were shown, by id and fingerprint.
 *
 * Spec: docs/exit-codes.md.
 */
import { EXIT } from '../common/exit-codes.js';
import { refuseNotBuilt } from '../common/not-built.js';
import { type Options, refuseWords, UsageError } from '../common/options.js';
import { makePrinter, type Printer } from '../common/printer.js';
import { runProgram } from '../common/program.js';
import { refused } from '../common/refused.js';
import { withMaster } from '../common/with-master.js';
import type { ConnectMaster, Io, KeyList, MasterLink } from '../ports.js';
import { keyProgram, NOT_BUILT } from './command.js';
import { decideKeys } from './decide-keys.js';
import { type KeyAction, keyActionOf, KEY_STATES } from './key-action.js';
import { idsByState, matching, noMatchSentence, ownKeys, textsByState } from './matching.js';

export async function runNatriumKey(argv: readonly string[], io: Io, connectMaster: ConnectMaster): Promise<number> {
  const program = keyProgram(io);
  return runProgram(program, argv, io, async (options, words) => {
    const action = keyActionOf(options);
    refuseWordsOf(words, action, options);
    const early = refuseNotBuilt(options, NOT_BUILT, program.name, io);
    if (early !== undefined) return early;
    refuseOtherHashes(options);
    refuseAnyFingerprint(options);
    const name = options.text('genKeys');
    // Loaded when it is asked for: it needs the cryptography, which looking at keys does not.
    if (name !== undefined) return (await import('./gen-keys.js')).genKeys(name, options.text('genKeysDir') ?? '.', io);
    const printer = makePrinter(options, io);
    return withMaster(connectMaster, options, io, (link) => carryOut(action, options, link, printer, io));
  });
}

/** Beside a look they do no harm, and Salt's own manual writes `-F master`; beside a decision they may be keys that are meant. */
function refuseWordsOf(words: readonly string[], { kind }: KeyAction, options: Options): void {
  if (kind === 'decide' || options.given('genKeys')) refuseWords(words);
}

function refuseOtherHashes(options: Options): void {
  const hash = options.text('fingerHash');
  if (hash !== undefined && hash !== 'sha256')
    throw new UsageError(`option --finger-hash: '${hash}': sha256 is the only hash of fingerprints`);
}

/** Every key begins with nothing: that of a shell's unset variable must not accept whatever key is there. */
function refuseAnyFingerprint(options: Options): void {
  if (options.text('fingerprint')?.trim() === '')
    throw new UsageError('option --fingerprint: name the fingerprint, or how it begins');
}

async function carryOut(
  action: KeyAction,
  options: Options,
  link: MasterLink,
  printer: Printer,
  io: Io,
): Promise<number> {
  const list = await link.keys.list();
  if (!list.ok) return refused(list.error, io);
  const fingerprint = options.text('fingerprint')?.trim().toLowerCase();
  if (action.kind === 'decide') {
    const chosen = matching(list.value.entries, action.match, action.states, fingerprint);
    const talk = { yes: options.flag('yes'), quiet: options.flag('quiet') };
    return decideKeys({ ...action, chosen, talk }, link, printer, io);
  }
  if (!options.flag('quiet')) look(action, list.value, fingerprint, printer, io);
  return EXIT.ok;
}

type Look = Exclude<KeyAction, { readonly kind: 'decide' }>;

function look(action: Look, list: KeyList, fingerprint: string | undefined, printer: Printer, io: Io): void {
  if (action.kind === 'list') {
    const entries = matching(list.entries, '*', action.states, fingerprint);
    return printer.show(idsByState(entries, action.states), { out: 'key' });
  }
  const entries = matching(list.entries, action.match, KEY_STATES, fingerprint);
  const own = action.kind === 'finger' ? ownKeys(list.local, action.match, fingerprint) : {};
  // Who asked for a format reads it with a program, which a sentence would break.
  if (entries.length + Object.keys(own).length === 0 && printer.asked === undefined)
    return io.out(`${noMatchSentence(action.match, KEY_STATES)}\n`);
  const texts = textsByState(entries, ({ fingerprint: finger, publicKey }) =>
    action.kind === 'finger' ? finger : (publicKey ?? '(the master did not send it)'),
  );
  printer.show({ ...own, ...texts }, { out: 'key' });
}
