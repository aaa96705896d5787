/**
 * What `accounts sync` has to do, from what the policy names, what this host has and what the roster holds.
 *
 * A key of another host is never replaced unasked: the same account may exist on several hosts, and it has one key.
 *
 * Spec: docs/accounts.md.
 */
import { isAccountName } from '@natrium/flow';
import type { HostEntry } from './host-accounts.js';

export interface KeyFile {
  /** undefined: it cannot be read as a key. */
  readonly fingerprint: string | undefined;
  readonly uid: number;
  /** Whether owner and mode are as they have to be for the account with this uid. */
  readonly isShut: boolean;
}

export interface Enrolled {
  readonly name: string;
  readonly fingerprint: string;
  readonly state: string;
}

export interface Situation {
  /** The accounts that the policy gives a key, without the master's own. */
  readonly holders: ReadonlySet<string>;
  /** Keys of `publisher_acl` that name one account, and are no pattern. */
  readonly literal: readonly string[];
  /** Whether any key of `publisher_acl` names or matches the account. */
  readonly isNamed: (name: string) => boolean;
  readonly masterAccount: string;
  readonly host: ReadonlyMap<string, HostEntry>;
  readonly files: ReadonlyMap<string, KeyFile>;
  readonly enrolled: readonly Enrolled[];
  /** Take out keys that are not on this host. */
  readonly replace: boolean;
  /** Whether an account that is not found has gone: of a directory that is away none is found. */
  readonly missingIsGone: boolean;
}

export type Step =
  | { readonly do: 'nothing'; readonly name: string }
  | { readonly do: 'shut'; readonly name: string }
  | { readonly do: 'enrol'; readonly name: string; readonly without?: string }
  | { readonly do: 'make'; readonly name: string; readonly without?: string }
  | {
      readonly do: 'remove';
      readonly name: string;
      readonly fingerprint?: string;
      readonly file: boolean;
      readonly why: string;
    }
  | { readonly do: 'skip'; readonly name: string; readonly why: string }
  | { readonly do: 'conflict'; readonly name: string; readonly why: string };

export function planSync(situation: Situation): readonly Step[] {
  const { holders, literal, files, enrolled, masterAccount } = situation;
  const unknown = literal.filter((name) => !situation.host.has(name) && !files.has(name));
  const kept = [...new Set([...holders, ...unknown])]
    .filter((name) => name !== masterAccount && name !== 'root')
    .sort();
  const others = [...files.keys()]
    .filter((name) => name !== masterAccount && (!kept.includes(name) || !situation.host.has(name)))
    .sort();
  const elsewhere = enrolled.filter(
    ({ name, state }) => state === 'accepted' && name !== masterAccount && !files.has(name) && !situation.isNamed(name),
  );
  return [
    ...kept.map((name) => planFor(name, situation)),
    // The master takes no key from that account, so that a removal would only be refused.
    ...(files.has(masterAccount) ? [{ do: 'skip', name: masterAccount, why: OWN } as const] : []),
    ...others.map((name) => removal(name, situation)),
    ...elsewhere.map(({ name, fingerprint }): Step => ({ do: 'remove', name, fingerprint, file: false, why: UNNAMED })),
  ];
}

const OWN =
  'it is the master’s own account (user), for which natriumctl init made one; what it had before stays as it is';
const UNNAMED = 'publisher_acl does not name it any more';

function planFor(name: string, { host, files, enrolled, replace }: Situation): Step {
  if (!isAccountName(name)) return { do: 'skip', name, why: 'no account may have such a name' };
  const entry = host.get(name);
  if (entry === undefined) return { do: 'skip', name, why: 'this host has no such account' };
  const file = files.get(name);
  const accepted = enrolled.find((one) => one.name === name && one.state === 'accepted')?.fingerprint;
  const finger = file?.fingerprint;
  if (file !== undefined && finger !== undefined && finger === accepted) {
    // Another account had this uid when the key was made; who it was may have read it.
    if (file.uid !== entry.uid && file.uid !== 0) return { do: 'make', name, without: accepted };
    return file.isShut && file.uid === entry.uid ? { do: 'nothing', name } : { do: 'shut', name };
  }
  if (accepted !== undefined && !replace) {
    return { do: 'conflict', name, why: `its key ${accepted} is not on this host; --replace takes that one out` };
  }
  const without = accepted === undefined ? {} : { without: accepted };
  const isFresh =
    finger !== undefined && file?.uid === entry.uid && !enrolled.some((one) => one.fingerprint === finger);
  return isFresh ? { do: 'enrol', name, ...without } : { do: 'make', name, ...without };
}

const MAYBE_AWAY =
  'this host does not find the account, and the directory that its accounts come from may be away; --remove-missing takes its key';

function removal(name: string, { files, enrolled, host, isNamed, missingIsGone }: Situation): Step {
  if (isNamed(name) && !host.has(name) && !missingIsGone) return { do: 'conflict', name, why: MAYBE_AWAY };
  const finger = files.get(name)?.fingerprint;
  const own = enrolled.find((one) => one.name === name && one.state === 'accepted' && one.fingerprint === finger);
  const why = isNamed(name) && !host.has(name) ? 'this host has no such account any more' : UNNAMED;
  // Nobody is called so any more, but a key of another host goes with its name.
  const gone =
    own ?? (isNamed(name) ? undefined : enrolled.find((one) => one.name === name && one.state === 'accepted'));
  return { do: 'remove', name, file: true, why, ...(gone === undefined ? {} : { fingerprint: gone.fingerprint }) };
}
