/**
 * Who holds rules: for every key of every section one caller that it names, found by sampling its pattern and proved by the
 * engine.
 */
import type { RulePath } from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import { parseMinionId, type PrincipalKind } from '@natrium/model';
import type { Caller } from './caller.js';
import { type KeyedList, keyedLists, type PolicyView } from './policy-view.js';
import { provenSamples } from './samples.js';

export interface Holder {
  readonly path: RulePath;
  /** The key as it stands in the file. */
  readonly key: string;
  readonly section: KeyedList['section'] | 'user';
  /** A caller that the key names; undefined when none was found. */
  readonly caller: Caller | undefined;
}

const KINDS: Readonly<
  Record<'peer' | 'peer_run' | 'runner_grants' | 'reactor_grants' | 'publisher_acl', PrincipalKind>
> = {
  peer: 'minion',
  peer_run: 'minion',
  runner_grants: 'runner',
  reactor_grants: 'reactor',
  publisher_acl: 'account',
};
const STRANGER = 'somebody';

/** Every key that may permit something, and the master's own account. */
export function holdersOf(view: PolicyView, fleet: Inventory): readonly Holder[] {
  const { masterAccount } = view.policy.settings;
  const master: Holder = {
    path: ['user'],
    key: masterAccount,
    section: 'user',
    caller: { principal: { kind: 'account', name: masterAccount } },
  };
  const keyed = keyedLists(view).map((one) => ({
    path: one.path,
    key: one.key,
    section: one.section,
    caller: one.section === 'external_auth' ? externalSample(one) : sampleOf(one, one.section, fleet),
  }));
  return [master, ...keyed];
}

function sampleOf({ key, names }: KeyedList, section: keyof typeof KINDS, fleet: Inventory): Caller | undefined {
  const kind = KINDS[section];
  if (names === undefined) return undefined;
  const samples = provenSamples(key, names);
  const accepted = kind === 'minion' ? [...fleet.accepted].find(names) : undefined;
  const valid =
    kind === 'minion' ? samples.find((id) => parseMinionId(id) !== undefined) : samples.find((name) => name !== '');
  const name = accepted ?? valid ?? (names(STRANGER) ? STRANGER : undefined);
  return name === undefined ? undefined : { principal: { kind, name } };
}

function externalSample({ key, path, names }: KeyedList): Caller | undefined {
  const backend = String(path[1]);
  if (names === undefined)
    return { principal: { kind: 'external', name: STRANGER }, backend, groups: [key.replace(/%+$/, '')] };
  const name = key === '*' ? STRANGER : provenSamples(key, names).find((sample) => sample !== '');
  return name === undefined ? undefined : { principal: { kind: 'external', name }, backend, groups: [] };
}
