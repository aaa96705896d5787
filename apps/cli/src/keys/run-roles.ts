/** `natriumctl roles`: the document that names the services' keys, changed under the root. Spec: spec/envelope.md#roles. */
import { fingerprint, type RoleName } from '@natrium/envelope';
import { type FolderUse, lockFolder, type MasterKeys, ROLES, RolesChanges } from '@natrium/keystore';
import { EXIT } from '../common/exit-codes.js';
import { refuseWords, UsageError } from '../common/options.js';
import type { Io } from '../ports.js';
import { withMasterFolder } from './master-folder.js';

export interface RolesOptions {
  readonly configDir: string;
  readonly word: string;
  readonly role: string | undefined;
  readonly root: string | undefined;
}

/** So many changes before the last one, the operator hears of it. */
const FEW = 100;

/** Of a folder of keys. */
const ONE_CHANGE: FolderUse = {
  name: 'roles',
  program: 'natriumctl roles',
  mend: 'do it again when that one has ended; nothing was changed',
};

type Change = (changes: RolesChanges, nowMs: number) => string;

const OF_ALL: Readonly<Record<string, Change>> = {
  renew: (changes, now) => {
    changes.renew(now);
    return 'The roles document is renewed.';
  },
  'new-root': (changes, now) => {
    changes.newRoot(now);
    return 'There is a new root; it signs from the next document on. Move its key and the old one offline.';
  },
};

const OF_ONE: Readonly<Record<string, (role: RoleName) => Change>> = {
  'new-key': (role) => (changes, now) => {
    changes.newKey(role, now);
    return `There is a new key of ${role}. Restart its replicas one by one, then: natriumctl roles retire ${role}`;
  },
  retire: (role) => (changes, now) => {
    changes.retire(role, now);
    return `Only the newest key of ${role} counts now. A replica that still has the old one is not heard any more.`;
  },
};

export function runRoles({ configDir, word, role, root }: RolesOptions, io: Io): Promise<number> {
  const change = changeOf(word, role);
  return withMasterFolder(configDir, io, async ({ keys }) => {
    const changes = root === undefined ? new RolesChanges(keys) : new RolesChanges(keys, root);
    if (change !== undefined) {
      const done = await alone(keys, () => {
        changes.removeDrafts();
        return change(changes, Date.now());
      });
      io.out(`${done}\n`);
    }
    io.out(shown(keys));
    if (changes.left <= FEW) io.err(warning(changes.left));
    return EXIT.ok;
  });
}

/** Of two that changed the document at the same time, the later would write over the other's. */
async function alone<T>({ folder }: MasterKeys, work: () => T): Promise<T> {
  const lock = await lockFolder(folder, ONE_CHANGE);
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** @returns undefined when it is only to be shown. */
function changeOf(word: string, role: string | undefined): Change | undefined {
  const ofOne = Object.hasOwn(OF_ONE, word) ? OF_ONE[word] : undefined;
  if (ofOne !== undefined) return ofOne(roleNamed(role));
  if (role !== undefined) refuseWords([role]);
  if (word === 'show') return undefined;
  const ofAll = Object.hasOwn(OF_ALL, word) ? OF_ALL[word] : undefined;
  if (ofAll === undefined) throw new UsageError(`roles: no such thing to do: ${word}`);
  return ofAll;
}

function roleNamed(word: string | undefined): RoleName {
  const role = ROLES.find((name) => name === word);
  if (role === undefined) throw new UsageError(`say which role: ${ROLES.join(', ')}`);
  return role;
}

function warning(left: number): string {
  return `natriumctl: the roles document can be changed ${String(left)} times more; then a new cluster has to be founded\n`;
}

function shown(keys: MasterKeys): string {
  const { document, root, firstRoot } = keys.roles();
  const lines = [
    `serial ${String(document.serial)}, good until ${new Date(document.notAfter).toISOString()}`,
    `pinned root ${fingerprint(firstRoot)}`,
    ...(fingerprint(root) === fingerprint(firstRoot) ? [] : [`root in force ${fingerprint(root)}`]),
    ...ROLES.flatMap((role) => document.roles[role].map((key) => `${role} ${fingerprint(key)}`)),
  ];
  return `${lines.join('\n')}\n`;
}
