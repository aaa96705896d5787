/**
 * The minions' mine: what one keeps there, and what another may read of it.
 *
 * A reader is an accepted minion, known by its key; it hears the items of the minions that its target means, of each item
 * only when its owner's `allow_tgt` certainly holds the reader. What it may not read is not there for it.
 * Spec: spec/envelope.md#mine.
 */
import type { Opened } from '@natrium/bus';
import { encode, toHex } from '@natrium/envelope';
import { type Budget, isReadable } from '@natrium/flow';
import { isList, type Refusal, refusal, type Target, toPlain, type Value, type ValueMap } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import { TOO_FAST } from './admin.js';
import type { AuditLog } from './audit-log.js';
import type { MineItem, Mines } from './mines.js';
import type { Policies } from './policies.js';
import type { Roster } from './roster.js';

type Answer = Body<typeof contracts.answer>;
type Ask = Body<typeof contracts.mine>;

/** What one message carries. */
const MAX_ANSWER = 6 << 20;
const TOO_LARGE = refusal('bad_request', 'a mine holds at most 1000 items and 1 MiB; nothing was kept');
const TOO_DEEP = refusal('bad_request', 'something for the mine is nested too deeply to be read; nothing was kept');
const TOO_MUCH = refusal('bad_request', 'the answer is too large for one message: ask for fewer minions or functions');

interface Parts {
  readonly roster: Roster;
  readonly policies: Policies;
  readonly mines: Mines;
  readonly audit: AuditLog;
  readonly budget: Budget;
  /** Milliseconds of this host's clock. */
  readonly now: () => number;
}

export class MineDoor {
  constructor(private readonly parts: Parts) {}

  /** @returns undefined for a party that is not an accepted minion: it hears nothing. */
  async handle({ body, party }: Opened<typeof contracts.mine>): Promise<Answer | undefined> {
    const { key } = party.owner;
    const minion = this.parts.roster.callerOf(key);
    if (minion?.kind !== 'minion') return undefined;
    if (!this.parts.budget.take(toHex(key), this.parts.now())) return refused(TOO_FAST);
    if (body.what === 'get') return this.#read(body, minion.name);
    if (!body.items.every(({ value }) => isReadable(value))) return refused(TOO_DEEP);
    const kept = await this.parts.mines.change(key, (before) => changed(before, body));
    return kept ? { refusal: null, result: true } : refused(TOO_LARGE);
  }

  #read({ names, tgt, tgtType }: Ask, reader: string): Answer {
    const policy = this.parts.policies.current;
    const ids = policy.idsExactly(targetOf(tgt, tgtType));
    if (!ids.ok) {
      const caller = { kind: 'minion', name: reader } as const;
      this.parts.audit.refuse({
        caller,
        digest: null,
        code: ids.error.code,
        detail: { read: 'mine', tgt_type: tgtType },
      });
      return refused(ids.error);
    }
    const mayRead = this.#readable(reader);
    const result: ValueMap = Object.fromEntries(names.map((name) => [name, this.#itemsOf(ids.value, name, mayRead)]));
    return sizeOf(result) > MAX_ANSWER ? refused(TOO_MUCH) : { refusal: null, result };
  }

  #itemsOf(ids: readonly string[], name: string, mayRead: (item: MineItem) => boolean): ValueMap {
    const found = ids.flatMap((id): readonly (readonly [string, Value])[] => {
      const key = this.parts.roster.keyOfMinion(id);
      const item = key === undefined ? undefined : this.parts.mines.itemOf(key, name);
      return item !== undefined && mayRead(item) ? [[id, item.value]] : [];
    });
    return Object.fromEntries(found);
  }

  /** Many minions have one and the same rule: it is decided once in a request. */
  #readable(reader: string): (item: MineItem) => boolean {
    const decided = new Map<string, boolean>();
    return ({ allowTgt: tgt, allowTgtType: tgtType }) => {
      if (tgt === '') return true;
      const rule = `${tgtType} ${tgt}`;
      const known = decided.get(rule) ?? this.parts.policies.current.certainlyIn({ tgt, tgtType }, reader);
      decided.set(rule, known);
      return known;
    };
  }
}

function changed(before: readonly MineItem[], { what, items, names }: Ask): readonly MineItem[] {
  if (what === 'delete') return before.filter(({ name }) => !names.includes(name));
  const now = new Map((what === 'replace' ? [] : before).map((item) => [item.name, item]));
  for (const item of items) now.set(item.name, item);
  return [...now.values()];
}

function targetOf(tgt: Value, tgtType: string): Target {
  if (isList(tgt)) return { tgt: tgt.filter((id) => typeof id === 'string'), tgtType };
  return { tgt: typeof tgt === 'string' ? tgt : '', tgtType };
}

function sizeOf(value: Value): number {
  return encode(toPlain(value)).length;
}

function refused(why: Refusal): Answer {
  return { refusal: why, result: null };
}
