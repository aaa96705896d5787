/**
 * The minions' mine: what one keeps there, and what another may read of it.
 *
 * A reader is an accepted minion, known by its key; it hears the items of the minions that its target means, of each item
 * only when its owner's `allow_tgt` certainly holds the reader. What it may not read is not there for it.
 * Spec: spec/envelope.md#mine.
 */
import type { Opened } from '@natrium/bus';
import { encodedSize, toHex } from '@natrium/envelope';
import { type Budget, CARRIED_BYTES, TOO_FAST } from '@natrium/flow';
import { Room } from '@natrium/matchers';
import {
  err,
  isReadable,
  isList,
  ok,
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
import type { MineItem, Mines } from './data/mines.js';
import type { Policies } from './policy/policies.js';
import { type Policy, requestsFor } from './policy/policy.js';
import type { Roster } from './roster/roster.js';

type Answer = Body<typeof contracts.answer>;
type Ask = Body<typeof contracts.mine>;

/** As many as a job may run at once. */
const MAX_NAMES = 64;
/** Characters of different rules that one answer may have to compile: at 3 µs each, 50 at worst, and everybody else waits for it. */
const MAX_RULES = 32_768;
/** Of what a target's patterns take; those that count are made longer than they are written. */
const SIZE_OF_A_CHARACTER = 16;
/** So many of them cost the reader as much as a request. */
const RULES_OF_A_REQUEST = 64;
/** A change reads and writes all that the minion keeps, however little comes: so many bytes of both cost as much as a request. */
const CHANGED_BYTES_OF_A_REQUEST = 4096;
/** And so many of an answer, which are only copied. */
const TOLD_BYTES_OF_A_REQUEST = 65_536;
/** Types of targets that cost next to nothing to decide: of these each minion of a large fleet may have one of its own. */
const CHEAP: ReadonlySet<string> = new Set(['glob', 'list']);
const TOO_MANY = refusal('bad_request', `mine.get reads at most ${MAX_NAMES} functions at once: ask for fewer`);
/** No message has a map with it. */
const UNNAMEABLE = '__proto__';
const NO_NAME = refusal('bad_request', `nothing is kept in a mine under the name ${UNNAMEABLE}`);
const TOO_LARGE = refusal(
  'bad_request',
  'a mine holds at most 1000 items and 1 MiB, and 100,000 values in them; nothing was kept',
);
const TOO_DEEP = refusal('bad_request', 'something for the mine is nested too deeply to be read; nothing was kept');
const TOO_MUCH = refusal('bad_request', 'the answer is too large for one message: ask for fewer minions or functions');
const TOO_VARIED = refusal('bad_request', 'allow_tgt differs too much there: ask for fewer minions or functions');

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
    if (namesNothing(body)) return refused(NO_NAME);
    if (body.what === 'get') return this.#read(body, minion.name, toHex(key));
    const { mines } = this.parts;
    // Before it is done: whoever sends many at once is to owe for the first when the next one is looked at.
    const coming = body.items.reduce(
      (sum, { name, value, allowTgt }) => sum + name.length + sizeOf(value) + allowTgt.length,
      0,
    );
    this.#charge(toHex(key), mines.bytesOf(key) + coming, CHANGED_BYTES_OF_A_REQUEST);
    if (!body.items.every(({ value }) => isReadable(value))) return refused(TOO_DEEP);
    const kept = await (body.what === 'replace'
      ? mines.replace(key, changed([], body))
      : mines.change(key, (before) => changed(before, body)));
    return kept ? { refusal: null, result: true } : refused(TOO_LARGE);
  }

  #read({ names, tgt, tgtType }: Ask, reader: string, payer: string): Answer {
    const wanted = new Set(names);
    if (wanted.size > MAX_NAMES) return refused(TOO_MANY);
    const policy = this.parts.policies.current;
    const ids = policy.idsExactly(targetOf(tgt, tgtType), (tests) => {
      this.parts.budget.charge(payer, requestsFor(tests), this.parts.now());
    });
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
    const rules = new Rules(policy, reader);
    let told = 0;
    const found = this.#found(wanted, ids.value, rules, (bytes) => {
      told += bytes;
    });
    this.#charge(payer, told, TOLD_BYTES_OF_A_REQUEST);
    this.#charge(payer, rules.compiled, RULES_OF_A_REQUEST);
    return found.ok ? { refusal: null, result: found.value } : refused(found.error);
  }

  #charge(payer: string, amount: number, ofARequest: number): void {
    this.parts.budget.charge(payer, Math.floor(amount / ofARequest), this.parts.now());
  }

  /** Nothing is looked at beyond what one message carries. */
  #found(
    names: ReadonlySet<string>,
    ids: readonly string[],
    rules: Rules,
    onBytes: (bytes: number) => void,
  ): Result<ValueMap, Refusal> {
    const asked = this.#byKey(ids);
    const found: (readonly [string, ValueMap])[] = [];
    let size = 0;
    for (const name of names) {
      const items: (readonly [string, Value])[] = [];
      for (const [id, item] of this.parts.mines.kept(name, asked)) {
        const mayRead = rules.permit(item);
        if (rules.areTooMany) return err(TOO_VARIED);
        if (!mayRead) continue;
        const more = sizeOf(id) + sizeOf(item.value);
        size += more;
        onBytes(more);
        if (size > CARRIED_BYTES) return err(TOO_MUCH);
        items.push([id, item.value]);
      }
      found.push([name, Object.fromEntries(items)]);
    }
    return ok(Object.fromEntries(found));
  }

  #byKey(ids: readonly string[]): ReadonlyMap<string, string> {
    const { roster } = this.parts;
    const known = ids.flatMap((id) => {
      const key = roster.keyOfMinion(id);
      return key === undefined ? [] : [[toHex(key), id] as const];
    });
    return new Map(known);
  }
}

/** The `allow_tgt` rules that one answer has to decide. Many minions have the same one, which is compiled once. */
class Rules {
  readonly #decided = new Map<string, boolean>();
  /** For all of them: a reader chooses its own data, and may have chosen the rules. */
  readonly #room = new Room();
  #compiled = 0;

  constructor(
    private readonly policy: Pick<Policy, 'certainlyIn'>,
    private readonly reader: string,
  ) {}

  /** Characters. */
  get compiled(): number {
    return Math.min(this.#compiled, MAX_RULES);
  }

  /** More would have to be compiled, or looked at, than one answer may cost; rules of which that is not done permit nobody. */
  get areTooMany(): boolean {
    return this.#compiled > MAX_RULES || this.#room.isSpent;
  }

  permit({ allowTgt: tgt, allowTgtType: tgtType }: MineItem): boolean {
    if (tgt === '') return true;
    // As JSON, so that no owner's choice of the one part reads as another's other part.
    const rule = JSON.stringify([tgtType, tgt]);
    const known = this.#decided.get(rule);
    if (known !== undefined) return known;
    if (!CHEAP.has(tgtType)) this.#compiled += tgt.length;
    const mayMake = (size: number) => this.#mayMake(size / SIZE_OF_A_CHARACTER - tgt.length);
    const decided = !this.areTooMany && this.policy.certainlyIn({ tgt, tgtType }, this.reader, mayMake, this.#room);
    this.#decided.set(rule, decided);
    return decided;
  }

  /** @param more Characters, beside those that are written. */
  #mayMake(more: number): boolean {
    this.#compiled += Math.max(0, Math.ceil(more));
    return !this.areTooMany;
  }
}

/** What is kept so since an earlier version may go. */
function namesNothing({ what, names, items }: Ask): boolean {
  return what !== 'delete' && (names.includes(UNNAMEABLE) || items.some(({ name }) => name === UNNAMEABLE));
}

function changed(before: readonly MineItem[], { what, items, names }: Ask): readonly MineItem[] {
  if (what === 'delete') return before.filter(({ name }) => !names.includes(name));
  const now = new Map(before.map((item) => [item.name, item]));
  for (const item of items) now.set(item.name, item);
  return [...now.values()];
}

function targetOf(tgt: Value, tgtType: string): Target {
  if (isList(tgt)) return { tgt: tgt.filter((id) => typeof id === 'string'), tgtType };
  return { tgt: typeof tgt === 'string' ? tgt : '', tgtType };
}

function sizeOf(value: Value): number {
  return encodedSize(toPlain(value));
}

function refused(why: Refusal): Answer {
  return { refusal: why, result: null };
}
