/** One record for people, and for programs that read JSON. It quotes what callers asked for, so both are made safe for a terminal. */
import { type AuditRecord, toHex } from '@natrium/envelope';
import { nameOf } from '@natrium/model';
import { disarm, printableJson } from '@natrium/output';

/** `2026-01-02T03:04:05.678Z  refuse  account fred  cmd.run on web*  not_permitted  [a1b2 17]` */
export function recordLine(record: AuditRecord): string {
  const { time, what, caller, verdict, rule, chain, number } = record;
  const who = caller === null ? '-' : nameOf(caller);
  const words = [
    new Date(time).toISOString(),
    what,
    verdict,
    who,
    aboutOf(record),
    rule ?? '-',
    `[${chain} ${number}]`,
  ];
  return disarm(words.join('  '));
}

export function recordJson({
  chain,
  number,
  time,
  what,
  caller,
  digest,
  jid,
  verdict,
  rule,
  detail,
}: AuditRecord): string {
  const when = new Date(time).toISOString();
  const shown = {
    chain,
    number,
    time: when,
    what,
    caller,
    digest: digest && toHex(digest),
    jid,
    verdict,
    rule,
    detail,
  };
  return printableJson(JSON.stringify(shown));
}

function aboutOf({ detail }: AuditRecord): string {
  const { funs, target, fun, id, event, read, policy } = detail;
  if (Array.isArray(funs))
    return `${funs.join(',')}${typeof target === 'string' && target !== '' ? ` on ${target}` : ''}`;
  const abouts = [fun, id, loginIn(detail), named('event', event), named('read', read), policy];
  const one = abouts.find((word) => typeof word === 'string');
  const ids = [...changedIn(detail), ...usersIn(detail)];
  return `${typeof one === 'string' ? one : '-'}${ids.length > 0 ? ` ${ids.join(',')}` : ''}`;
}

function loginIn({ eauth, user, address }: AuditRecord['detail']): string | undefined {
  if (typeof eauth !== 'string' || typeof user !== 'string') return undefined;
  return `${eauth}/${user}${typeof address === 'string' && address !== '' ? ` from ${address}` : ''}`;
}

function named(what: string, word: unknown): string | undefined {
  return typeof word === 'string' ? `${what} ${word}` : undefined;
}

/** Whose tokens a request ended. */
function usersIn({ users }: AuditRecord['detail']): readonly string[] {
  return Array.isArray(users) ? users.filter((user) => typeof user === 'string') : [];
}

/** The ids whose keys a request changed: what an operator has to do again after an older state was restored. */
function changedIn({ keys }: AuditRecord['detail']): readonly string[] {
  if (!Array.isArray(keys)) return [];
  const ids = keys.map((key: unknown) => (typeof key === 'object' && key !== null && 'id' in key ? key.id : undefined));
  return ids.filter((id) => typeof id === 'string');
}
