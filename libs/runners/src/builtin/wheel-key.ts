/**
 * `key.*` of the wheel: minions' keys by id, as Salt's clients ask. The acl-service alone runs it, over the roster.
 *
 * A caller who names no fingerprint takes the key that waits at that moment; who carries it out records which one it was.
 * Where several keys claim one id, none is accepted without its fingerprint.
 *
 * The shapes are Salt's.
 */
import { isMap, type Value, type ValueMap } from '@natrium/model';
import { type BaseContext, declaringFor, defineModule, ExecutionError } from '@natrium/modules';
import {
  ALL_STATES,
  textsByState,
  requireByState,
  everyKey,
  filled,
  idsIn,
  type KeyEntry,
  keysOf,
  type ListedState,
  meansMaster,
  ofMaster,
  selected,
} from '../key-views.js';
import { allNotHere } from '../not-here.js';

export type KeyChange = 'accept' | 'reject' | 'delete';

export interface KeysPort {
  /** The cluster's first root, which minions pin. */
  readonly root: Pick<KeyEntry, 'fingerprint' | 'pem'>;
  list(): Promise<readonly KeyEntry[]>;
  /** @throws {ExecutionError} When it may not be, or somebody was faster. */
  change(to: KeyChange, key: KeyEntry): Promise<void>;
}

export interface KeyContext extends BaseContext {
  readonly keys: KeysPort;
}

const MATCH = { name: 'match', type: 'any', doc: 'Ids, as globs: a list or with commas.' } as const;
/** SaltGUI sends its target by name with every command of the wheel; whoever writes it behind one means a choice, and hears that there is none. */
export const UNUSED_MATCH = [
  { name: 'match', type: 'any', default: null, keyword: true, doc: 'Not used: all are told.' },
] as const;
const BY_STATE = {
  name: 'match',
  type: 'any',
  doc: 'Ids by state, as list_all tells them: {minions_pre: [web1]}.',
} as const;
const HASH = { name: 'hash_type', type: 'any', default: null, doc: 'sha256, as there is no other.' } as const;
const FINGERPRINT = {
  name: 'fingerprint',
  type: 'str',
  default: '',
  doc: 'Only the key with this fingerprint.',
} as const;
const flag = <const N extends string>(name: N) => ({ name, type: 'bool', default: false, doc: 'Those too.' }) as const;
const OWN_KEY =
  'a minion makes its own key, and nobody else ever holds it; accept it with key.accept, or let it in with autosign_file';
const RETURNS = 'the keys of these ids as they are afterwards, by state';

const wheel = declaringFor<KeyContext>();

export const keyWheel = defineModule('key', {
  list_all: wheel(
    {
      doc: 'The ids of all keys, by state.',
      params: UNUSED_MATCH,
      returns: 'a map of lists',
      examples: ['key.list_all'],
    },
    async (_, { keys }) => everyKey(await keys.list()),
  ),
  list: wheel(
    {
      doc: 'The ids of all keys of one state.',
      params: [{ name: 'match', type: 'str', doc: 'acc, pre (or un), rej, den or all.' }],
      examples: ['key.list pre'],
    },
    async ({ match }, { keys }) => keysOf(await keys.list(), match),
  ),
  name_match: wheel(
    { doc: 'The keys of some ids, by state.', params: [MATCH], examples: ["key.name_match 'web*'"] },
    async ({ match }, { keys }) => matched(keys, match),
  ),
  finger: wheel(
    {
      doc: "The fingerprints of keys, by state; under `local` that of the cluster's root key, where a glob matches master.pub.",
      params: [MATCH, HASH],
      examples: ["key.finger '*'"],
    },
    async ({ match, hash_type: hash }, { keys }) => {
      requireSha256(hash);
      const found = textsByState(await select(keys, match), ({ fingerprint }) => fingerprint, ', ');
      return meansMaster(match) ? { ...found, ...ofMaster(keys.root.fingerprint) } : found;
    },
  ),
  finger_master: wheel(
    {
      doc: "The fingerprint of the cluster's root key, as minions pin it (master_finger).",
      params: [HASH, ...UNUSED_MATCH],
      examples: ['key.finger_master'],
    },
    ({ hash_type: hash }, { keys }) => {
      requireSha256(hash);
      return ofMaster(keys.root.fingerprint);
    },
  ),
  master_key_str: wheel(
    { doc: "The cluster's root key, the public one.", params: UNUSED_MATCH, examples: ['key.master_key_str'] },
    (_, { keys }) => ofMaster(keys.root.pem),
  ),
  print: publicKeys('print'),
  key_str: publicKeys('key_str'),
  ...allNotHere(OWN_KEY, 'key', ['gen', 'gen_accept', 'gen_keys']),
  accept: wheel(
    {
      doc: 'Accepts keys that wait.',
      params: [MATCH, flag('include_rejected'), flag('include_denied'), FINGERPRINT],
      returns: RETURNS,
      examples: ['key.accept web1', 'key.accept web1 fingerprint=aa:bb:…'],
    },
    ({ match, include_rejected: rejected, include_denied: denied, fingerprint }, { keys }) =>
      change(keys, 'accept', { match, states: states({ pending: true, rejected, denied }), fingerprint }),
  ),
  accept_dict: wheel(
    {
      doc: 'Accepts keys that wait.',
      params: [BY_STATE, flag('include_rejected'), flag('include_denied')],
      returns: RETURNS,
      examples: ["key.accept_dict '{minions_pre: [web1]}'"],
    },
    ({ match, include_rejected: rejected, include_denied: denied }, { keys }) =>
      change(keys, 'accept', { match: requireByState(match), states: states({ pending: true, rejected, denied }) }),
  ),
  reject: wheel(
    {
      doc: 'Rejects keys that wait.',
      params: [MATCH, flag('include_accepted'), flag('include_denied'), FINGERPRINT],
      returns: RETURNS,
      examples: ['key.reject web1'],
    },
    ({ match, include_accepted: accepted, include_denied: denied, fingerprint }, { keys }) =>
      change(keys, 'reject', { match, states: states({ pending: true, accepted, denied }), fingerprint }),
  ),
  reject_dict: wheel(
    {
      doc: 'Rejects keys that wait.',
      params: [BY_STATE, flag('include_accepted'), flag('include_denied')],
      returns: RETURNS,
      examples: ["key.reject_dict '{minions_pre: [web1]}'"],
    },
    ({ match, include_accepted: accepted, include_denied: denied }, { keys }) =>
      change(keys, 'reject', { match: requireByState(match), states: states({ pending: true, accepted, denied }) }),
  ),
  delete: wheel(
    {
      doc: 'Deletes keys, whatever their state.',
      params: [MATCH, FINGERPRINT],
      returns: RETURNS,
      examples: ['key.delete web1'],
    },
    ({ match, fingerprint }, { keys }) => change(keys, 'delete', { match, states: ALL_STATES, fingerprint }),
  ),
  delete_dict: wheel(
    {
      doc: 'Deletes keys.',
      params: [BY_STATE],
      returns: RETURNS,
      examples: ["key.delete_dict '{minions_rejected: [web1]}'"],
    },
    ({ match }, { keys }) => change(keys, 'delete', { match: requireByState(match), states: ALL_STATES }),
  ),
});

/** `print` is what Salt calls it, and its clients do; `key_str` is its name in Salt's manual, and was in Salt's first versions. */
function publicKeys(name: 'print' | 'key_str') {
  return wheel(
    { doc: 'The public keys, by state.', params: [MATCH], examples: [`key.${name} 'web*'`] },
    async ({ match }, { keys }) => textsByState(await select(keys, match), ({ pem }) => pem, ''),
  );
}

function requireSha256(hash: Value): void {
  if (hash !== null && hash !== 'sha256') throw new ExecutionError('fingerprints are made by sha256 only');
}

interface Chosen {
  readonly match: Value;
  readonly states: readonly ListedState[];
  readonly fingerprint?: string;
}

async function change(
  keys: KeysPort,
  to: KeyChange,
  { match, states: from, fingerprint = '' }: Chosen,
): Promise<ValueMap> {
  const wanted = fingerprint.toLowerCase();
  const chosen = (await select(keys, match)).filter(
    (key) => from.includes(key.state) && (wanted === '' || key.fingerprint === wanted),
  );
  const doubled =
    to === 'accept' ? chosen.find((key) => chosen.some((other) => other !== key && other.id === key.id)) : undefined;
  if (doubled !== undefined) {
    throw new ExecutionError(`several keys claim to be ${doubled.id}: name the fingerprint; none was accepted`);
  }
  if (wanted !== '' && chosen.length === 0) throw new ExecutionError('no such key has this fingerprint');
  for (const key of chosen) await keys.change(to, key);
  return isMap(match) ? withIds(keys, idsIn(match)) : matched(keys, match);
}

async function select(keys: KeysPort, match: Value): Promise<readonly KeyEntry[]> {
  return selected(await keys.list(), match);
}

async function matched(keys: KeysPort, match: Value): Promise<ValueMap> {
  return filled(await select(keys, match));
}

/** Exact ids, whatever state they are in now. */
async function withIds(keys: KeysPort, ids: ReadonlySet<string>): Promise<ValueMap> {
  return filled((await keys.list()).filter(({ id }) => ids.has(id)));
}

function states(taken: Partial<Record<ListedState, boolean>>): readonly ListedState[] {
  return ALL_STATES.filter((state) => taken[state] === true);
}
