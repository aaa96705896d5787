/**
 * What a running runner may ask the authority: which ids a target means, and what minions told of themselves. Its grant-run
 * proves that it may; gateways see it too, and the contract takes it from the runner-service alone.
 *
 * Pillar holds secrets of minions: it is told for the very run of `cache.pillar` that an account with full access asked for.
 * A rule that opens runners does not open pillar.
 */
import { type Opened, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { encodedSize, type Grant } from '@natrium/envelope';
import { type Budget, CARRIED_BYTES, PILLAR_RUNNER } from '@natrium/flow';
import {
  isList,
  isMap,
  type Principal,
  type Refusal,
  refusal,
  type Result,
  type Target,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { AuditLog } from './audit/audit-log.js';
import type { Inventory } from './data/inventory.js';
import type { Policies } from './policy/policies.js';
import type { Roster } from './roster/roster.js';
import { withToll } from './target-toll.js';

type Answer = Body<typeof contracts.answer>;
type Read = Opened<typeof contracts.read>;

/** Minions in one answer: it has to fit into one message. A runner asks for more in parts. */
const MAX_TOLD = 256;
const TOO_MUCH = refusal(
  'bad_request',
  'the data of these minions is too large for one message: ask for fewer of them',
);
const TOO_MANY = refusal('bad_request', 'the target means more minions than one message carries: ask for fewer');

interface Parts {
  readonly roster: Roster;
  readonly inventory: Inventory;
  readonly policies: Policies;
  readonly audit: AuditLog;
  /** What finding out whom targets mean costs callers. */
  readonly targets: Budget;
}

export class InventoryReads {
  constructor(
    private readonly link: RoleLink,
    private readonly parts: Parts,
  ) {}

  handle(opened: Read): Answer {
    const { what, args, grantRun } = opened.body;
    const proved = checkGrantRun(this.link, grantRun);
    if (!proved.ok) return this.#refuse(proved.error, what, null);
    const target = targetIn(args);
    if (target === undefined) return refused(refusal('bad_request', 'not something to read here'));
    const named = this.#mayGuess(proved.value)
      ? this.parts.policies.current.idsOf(target)
      : this.#idsExactly(target, proved.value);
    if (!named.ok) return refused(named.error);
    const ids = named.value;
    if (what === 'match') return sizeOf([...ids]) > CARRIED_BYTES ? refused(TOO_MANY) : told([...ids]);
    if (ids.length > MAX_TOLD)
      return refused(refusal('bad_request', `at most ${String(MAX_TOLD)} minions in one answer`));
    if (what === 'grains') return this.#grainsOf(ids);
    if (what !== 'pillar') return refused(refusal('bad_request', 'not something to read here'));
    const denied = this.#pillarRefusal(opened, proved.value);
    return denied === undefined ? this.#pillarOf(ids) : this.#refuse(denied, what, proved.value.caller);
  }

  #idsExactly(target: Target, grant: Grant): Result<readonly string[], Refusal> {
    const { policies, targets } = this.parts;
    return withToll(targets, grant, this.link.clock.own(), (onTests) => policies.current.idsExactly(target, onTests));
  }

  /** What a pattern matches tells of pillar: only to whoever may hear all of it. */
  #mayGuess({ caller, onBehalfOf }: Grant): boolean {
    return [caller, ...onBehalfOf].every((one) => this.#hasFullAccess(one));
  }

  #hasFullAccess({ kind, name }: Principal): boolean {
    return kind === 'account' && this.parts.policies.current.callerHasFullAccess(name);
  }

  #pillarRefusal({ body }: Read, { caller, onBehalfOf }: Grant): Refusal | undefined {
    const run = body.grantRun === null ? undefined : readAsked(body.grantRun.request);
    const isRun = run?.what === 'run' && run.funs.length === 1 && run.funs[0] === PILLAR_RUNNER;
    if (isRun && this.#hasFullAccess(caller) && onBehalfOf.length === 0) return undefined;
    return refusal('not_permitted', 'pillar is told by cache.pillar to an account with full access only');
  }

  #refuse(why: Refusal, what: string, caller: Principal | null): Answer {
    this.parts.audit.refuse({ caller, digest: null, code: why.code, detail: { read: what } });
    return refused(why);
  }

  #grainsOf(ids: readonly string[]): Answer {
    return this.#byId(ids, (key) => this.parts.inventory.grainsOf(key) ?? {});
  }

  #pillarOf(ids: readonly string[]): Answer {
    return this.#byId(ids, (key, id) => this.parts.inventory.pillarOf(key, id)?.pillar ?? {});
  }

  /** Nothing is looked at beyond what one message carries. */
  #byId(ids: readonly string[], of: (key: Uint8Array, id: string) => ValueMap): Answer {
    const entries: (readonly [string, ValueMap])[] = [];
    let size = 0;
    for (const id of ids) {
      const key = this.parts.roster.keyOfMinion(id);
      if (key === undefined) continue;
      const data = of(key, id);
      size += sizeOf(id) + sizeOf(data);
      if (size > CARRIED_BYTES) return refused(TOO_MUCH);
      entries.push([id, data]);
    }
    return told(Object.fromEntries(entries));
  }
}

function sizeOf(value: Value): number {
  return encodedSize(toPlain(value));
}

function told(result: Value): Answer {
  return { refusal: null, result };
}

function refused(why: Refusal): Answer {
  return { refusal: why, result: null };
}

function targetIn(args: Value): Target | undefined {
  if (!isMap(args)) return undefined;
  const { tgt, tgtType } = args;
  if (typeof tgtType !== 'string') return undefined;
  if (typeof tgt === 'string') return { tgt, tgtType };
  return isList(tgt) ? { tgt: tgt.filter((id) => typeof id === 'string'), tgtType } : undefined;
}
