/** Recorded requests, asked again of two policies; only those whose verdict changes are told. */
import { isList, isMap, PRINCIPAL_KINDS, type Value, type ValueMap } from '@natrium/model';
import { type Asked, type Caller, judge, showCaller } from './caller.js';
import { scenesOf } from './diff.js';
import { keyOf, type Policies } from './diff-questions.js';

export interface Recorded {
  readonly caller: Caller;
  readonly asked: Asked;
}

export interface RecordedChange extends Recorded {
  readonly becomes: 'allowed' | 'refused';
  /** How often it was recorded. */
  readonly count: number;
}

/** Reads one decoded record of `natriumctl audit export`; undefined when it is not about a request that the lists decide. */
export function readRecorded(raw: Value): Recorded | undefined {
  if (!isMap(raw)) return undefined;
  const detail = isMap(raw['detail']) ? { ...raw, ...raw['detail'] } : raw;
  const caller = callerIn(detail);
  const funs = textsIn(detail['funs'] ?? detail['fun']);
  if (caller === undefined || funs.length === 0) return undefined;
  const { tgt: plain, target, tgt_type: underscored, tgtType = underscored } = detail;
  const named = isMap(target) ? target : undefined;
  const tgt = plain ?? named?.['tgt'] ?? target;
  const type = tgtType ?? named?.['tgtType'] ?? named?.['tgt_type'];
  const { form } = detail;
  const what = form === 'job' || form === 'run' || form === 'wheel' ? form : tgt === '' ? 'run' : runOrWheel(detail);
  const args = argumentsIn(detail['args'] ?? detail['arg'], funs.length);
  if (what !== 'job') return { caller, asked: { what, funs, args } };
  if (typeof tgt !== 'string' && !isList(tgt)) return undefined;
  const list = typeof tgt === 'string' ? tgt : textsIn(tgt);
  return {
    caller,
    asked: { what, funs, args, target: { tgt: list, tgtType: typeof type === 'string' ? type : likelyType(list) } },
  };
}

/** For an export from elsewhere, which tells a target's text without its type. */
function likelyType(tgt: string | readonly string[]): string {
  if (typeof tgt !== 'string') return 'list';
  if (/\s|^[A-Z].?@/.test(tgt)) return 'compound';
  if (tgt.includes(',')) return 'list';
  return tgt.includes(':') ? 'grain' : 'glob';
}

function runOrWheel({ what, form }: ValueMap): Asked['what'] {
  const word = form ?? what;
  return word === 'run' || word === 'wheel' ? word : 'job';
}

function callerIn({ caller, groups, backend }: ValueMap): Caller | undefined {
  const [kindWord, name] = isMap(caller)
    ? [caller['kind'], caller['name']]
    : typeof caller === 'string'
      ? (/^(\w+)[ :](.+)$/s.exec(caller)?.slice(1) ?? [])
      : [];
  const kind = PRINCIPAL_KINDS.find((one) => one === kindWord);
  if (kind === undefined || typeof name !== 'string') return undefined;
  if (kind !== 'external' && kind !== 'token') return { principal: { kind, name } };
  const [, inName, user] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  const from = typeof backend === 'string' ? backend : inName;
  return {
    principal: { kind, name: user ?? name },
    ...(from === undefined ? {} : { backend: from }),
    groups: textsIn(groups),
  };
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === 'string') return value.split(',');
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** One list for each function; a flat list belongs to the only one. */
function argumentsIn(value: Value | undefined, count: number): Asked['args'] {
  const list = isList(value) ? value : [];
  if (list.length === count && list.every(isList)) return list.map((one) => (isList(one) ? one : []));
  return [list];
}

/** Equal requests are asked about once and counted. */
export function diffRecorded(policies: Policies, records: readonly Recorded[]): readonly RecordedChange[] {
  const scenes = scenesOf(policies);
  const found = new Map<string, { readonly one: Recorded; count: number }>();
  for (const one of records.flatMap((record) => ofEachBackEnd(record, policies))) {
    const key = JSON.stringify([showCaller(one.caller), keyOf(one.asked)]);
    const known = found.get(key) ?? { one, count: 0 };
    known.count += 1;
    found.set(key, known);
  }
  return [...found.values()].flatMap(({ one, count }) => {
    const [before, after] = [judge(scenes.old, one.caller, one.asked), judge(scenes.next, one.caller, one.asked)];
    if (before.allow === after.allow) return [];
    return [{ ...one, count, becomes: after.allow ? 'allowed' : 'refused' } as const];
  });
}

/** A record names the user and not the back end: the request is asked about as that of each. */
function ofEachBackEnd(record: Recorded, { old, next }: Policies): readonly Recorded[] {
  const { caller } = record;
  const { kind } = caller.principal;
  if ((kind !== 'external' && kind !== 'token') || caller.backend !== undefined) return [record];
  const backEnds = new Set([old, next].flatMap(({ policy }) => [...policy.external.keys()]));
  return [...backEnds].map((backend) => ({ ...record, caller: { ...caller, backend } }));
}
