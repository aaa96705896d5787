/**
 * `event_acl`: which other accounts and groups of this host may read and fire which tags. Each entry has a socket file of its
 * own, which only that account or group can open: the kernel keeps the door, and the entry says what is behind it.
 *
 * Spec: docs/event-bus.md#event_acl.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { compileTags, type SocketPlace, type SocketRights } from '@natrium/events';
import { isList, isMap, type Value } from '@natrium/model';

export interface OpenedPlace {
  readonly name: string;
  readonly place: SocketPlace;
  readonly rights: SocketRights;
}

/** A rule that cannot be kept, which stops the start. */
export class EventAclProblem extends Error {
  override readonly name = 'EventAclProblem';
  readonly code = 'ERR_EVENT_ACL';
}

interface Entry {
  readonly name: string;
  readonly rights: SocketRights;
}

const NAME = /^[A-Za-z0-9._-]{1,64}%?$/;
const OWNER_ONLY = 0o600;
const GROUP_TOO = 0o660;

export class EventAcl {
  readonly #entries: readonly Entry[];

  /** @throws {EventAclProblem} */
  constructor(config: Value) {
    if (!isMap(config)) throw new EventAclProblem('event_acl is a mapping: name: {read: [tags], fire: [tags]}');
    this.#entries = Object.entries(config).map(([name, rule]) => readEntry(name, rule));
  }

  /** Where each entry's socket lies; one whose account this host does not have is left out and reported. */
  places(sockDir: string, onProblem: (problem: string) => void): readonly OpenedPlace[] {
    return this.#entries.flatMap(({ name, rights }) => {
      const owner = ownerOf(name);
      if (owner === undefined) {
        onProblem(
          `event_acl: this host has no ${isGroup(name) ? 'group' : 'account'} ${bare(name)}; it gets no socket`,
        );
        return [];
      }
      const file = `${isGroup(name) ? 'group-' : ''}${bare(name)}.sock`;
      const mode = isGroup(name) ? GROUP_TOO : OWNER_ONLY;
      return [{ name: bare(name), rights, place: { path: join(sockDir, 'events', file), mode, owner } }];
    });
  }
}

function readEntry(name: string, rule: Value): Entry {
  if (!NAME.test(name)) throw new EventAclProblem(`event_acl.${name}: an account, or a group with % behind it`);
  if (!isMap(rule)) throw new EventAclProblem(`event_acl.${name} takes {read: [tags], fire: [tags]}`);
  const unknown = Object.keys(rule).find((key) => key !== 'read' && key !== 'fire');
  if (unknown !== undefined) throw new EventAclProblem(`event_acl.${name}.${unknown}: there is only read and fire`);
  const tags = (what: 'read' | 'fire') => tagsIn(`event_acl.${name}.${what}`, rule[what] ?? []);
  return { name, rights: { mayRead: tags('read'), mayFire: tags('fire') } };
}

/** Globs over the whole tag; an empty list is nothing, not everything. */
function tagsIn(path: string, value: Value): (tag: string) => boolean {
  const tags = typeof value === 'string' ? [value] : value;
  if (!isList(tags) || !tags.every((tag) => typeof tag === 'string' && tag !== '')) {
    throw new EventAclProblem(`${path} is a tag or a list of tags, globs such as 'monitoring/*'`);
  }
  if (tags.length === 0) return () => false;
  const test = compileTags(tags as readonly string[], 'fnmatch');
  if (!test.ok) throw new EventAclProblem(`${path}: ${test.error}`);
  return test.value;
}

function isGroup(name: string): boolean {
  return name.endsWith('%');
}

function bare(name: string): string {
  return isGroup(name) ? name.slice(0, -1) : name;
}

/** Numbers of an account or group of this host; those of a directory count as well. */
function ownerOf(name: string): { readonly uid: number; readonly gid: number } | undefined {
  try {
    const line = execFileSync('getent', [isGroup(name) ? 'group' : 'passwd', '--', bare(name)], { encoding: 'utf8' });
    const fields = line.trim().split(':');
    const own = process.getuid?.() ?? 0;
    return isGroup(name) ? { uid: own, gid: Number(fields[2]) } : { uid: Number(fields[2]), gid: Number(fields[3]) };
  } catch {
    return undefined;
  }
}
