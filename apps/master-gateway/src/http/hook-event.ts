/** What the event of a hook tells of the request that fired it. Spec: docs/http-api.md#events. */
import { isList, isMap, isTrue, type Value, type ValueMap } from '@natrium/model';
import type { Request } from 'express';
import { clientIp } from './guards.js';

/** Headers of a hook's caller that are nobody else's business. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-auth-token', 'proxy-authorization']);

/** @param said What the body says; undefined where there is none. */
export function hookEvent(req: Request, said: Value | undefined): ValueMap {
  const headers = named(req)
    .filter(([name]) => !SECRET_HEADERS.has(name))
    .map(([name, value]) => [title(name), value] as const);
  return {
    // Behind the client's own, who could say anything.
    headers: { ...Object.fromEntries(headers), 'Remote-Addr': clientIp(req) },
    body: Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '',
    post: postOf(said),
  };
}

/** As Salt's server, which tells no `_` from `-`. One with `-` comes last and so counts: what a proxy has set, no client replaces by such a name. */
function named({ headers }: Request): readonly (readonly [string, string])[] {
  const all = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const rewritten = all
    .filter(([name]) => name.includes('_'))
    .map(([name, value]) => [name.replaceAll('_', '-'), value] as const);
  return [...rewritten, ...all.filter(([name]) => !name.includes('_'))];
}

/** As Salt: whatever it is, and a map only where it is nothing; `arg` of a map is a list, as of a lowstate. */
function postOf(said: Value | undefined): Value {
  if (said === undefined || !isTrue(said)) return {};
  if (!isMap(said) || !('arg' in said) || isList(said['arg'])) return said;
  return { ...said, arg: [said['arg'] ?? null] };
}

/** `x-custom` → `X-Custom`, as Salt's hooks have them: a letter behind anything else is a capital (`X-Sha256Sum`). */
function title(name: string): string {
  return name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
