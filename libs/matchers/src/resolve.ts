/**
 * Which minions a target means: the master's view, in three readings of what nobody has reported, and the minion's own.
 *
 * Spec: spec/targeting.md#unknown-data.
 */
import type { Expr } from './compound.js';
import type { Inventory, MinionData } from './inventory.js';
import type { TargetExpr } from './target.js';
import { Room } from './room.js';
import type { Subject, Truth } from './term.js';

/**
 * `greedy`: for requests, unknown data counts as a match. `strict`: for permissions, only what is certainly true.
 * `cached`: what the data alone says, stale ids included.
 */
export type ResolveMode = 'greedy' | 'strict' | 'cached';

export interface Resolved {
  readonly minions: readonly string[];
  /** Ids that a list names and no accepted minion has; not where the list is negated. */
  readonly missing: readonly string[];
  /** It would have taken too long: whom else it means is not known. */
  readonly gaveUp?: true;
}

/**
 * Milliseconds. What a pattern costs on many texts cannot be told from how it is written: of two that are as long, the one takes a
 * microsecond for each minion, and the other ten milliseconds. Everybody else waits meanwhile.
 */
const MAX_MS = 2000;
/** Between two looks at the clock: sixteen minions, or so much of their data as takes some milliseconds. */
const WORK_OF_A_LOOK = 65_536;
const WORK_OF_A_MINION = WORK_OF_A_LOOK / 16;
const GAVE_UP: Resolved = { minions: [], missing: [], gaveUp: true };

/** Of whom no data is looked at. */
const NO_DATA = new Room();

export function resolve({ root, usesData, isCostly }: TargetExpr, inventory: Inventory, mode: ResolveMode): Resolved {
  const { accepted } = inventory;
  if (root.kind === 'term' && root.term.names !== undefined) return resolveNames(root.term.names, accepted);
  if (root.kind === 'term' && root.term.only !== undefined) {
    return { minions: accepted.has(root.term.only) ? [root.term.only] : [], missing: [] };
  }
  const minions: string[] = [];
  const unknown = unknownAs(mode);
  const now = (isCostly ? inventory.now : undefined) ?? (() => 0);
  const end = now() + MAX_MS;
  let unseen = WORK_OF_A_LOOK;
  for (const id of accepted) {
    if (unseen >= WORK_OF_A_LOOK) {
      if (now() > end) return GAVE_UP;
      unseen = 0;
    }
    const data = usesData ? inventory.dataOf(id) : null;
    const room = usesData ? new Room() : NO_DATA;
    if (evaluate(root, { id, data, unknown, accepted: true, room }) === true) minions.push(id);
    unseen += WORK_OF_A_MINION + room.taken;
  }
  if (mode === 'cached') minions.push(...staleMatches(root, inventory));
  const named = new Set([...addLists(new Set(), root)].flat());
  return { minions, missing: [...named].filter((name) => !accepted.has(name)) };
}

/** A single name or list needs no walk over everyone. */
function resolveNames(names: readonly string[], accepted: ReadonlySet<string>): Resolved {
  const minions: string[] = [];
  const missing: string[] = [];
  for (const name of new Set(names)) (accepted.has(name) ? minions : missing).push(name);
  return { minions, missing };
}

function unknownAs(mode: ResolveMode): Truth {
  if (mode === 'strict') return undefined;
  return mode === 'greedy';
}

function staleMatches(root: Expr, inventory: Inventory): readonly string[] {
  return [...(inventory.stale ?? [])].filter(
    (id) =>
      evaluate(root, { id, data: inventory.dataOf(id), unknown: false, accepted: false, room: new Room() }) === true,
  );
}

/**
 * Tells whether one accepted minion is certainly inside of a permitted target.
 *
 * @param room What may be done about its data; one for several targets where others than the operator choose how many they are.
 */
export function certainlyMatches(
  { root, usesData }: TargetExpr,
  inventory: Inventory,
  id: string,
  room = usesData ? new Room() : NO_DATA,
): boolean {
  const data = usesData ? inventory.dataOf(id) : null;
  return evaluate(root, { id, data, unknown: undefined, accepted: true, room }) === true;
}

/** The minion's own view: its data is known to itself. */
export function matchesSelf({ root }: TargetExpr, id: string, data: MinionData): boolean {
  return evaluate(root, { id, data, unknown: false, accepted: true, room: new Room() }) === true;
}

/** Three-valued logic: unknown spreads unless the other side decides alone. */
function evaluate(expr: Expr, subject: Subject): Truth {
  if (expr.kind === 'term') return expr.term.test(subject);
  if (expr.kind === 'not') {
    // A stale id is outside of everyone, so it is not in what a negation leaves either.
    const item = evaluate(expr.item, subject);
    return item === undefined ? undefined : subject.accepted && !item;
  }
  const left = evaluate(expr.left, subject);
  const decides = expr.kind === 'or';
  if (left === decides) return decides;
  const right = evaluate(expr.right, subject);
  if (right === decides) return decides;
  return left === undefined || right === undefined ? undefined : !decides;
}

/** Adds the lists of ids that are not directly negated; one that is named often, as by its node group, is added once. */
function addLists(lists: Set<readonly string[]>, expr: Expr): ReadonlySet<readonly string[]> {
  if (expr.kind === 'term') return expr.term.names === undefined ? lists : lists.add(expr.term.names);
  if (expr.kind === 'not') return expr.direct ? lists : addLists(lists, expr.item);
  addLists(lists, expr.left);
  return addLists(lists, expr.right);
}
