/**
 * The reactor: an event sets off calls, each asked for as any other caller asks, under the reaction's own name.
 *
 * The order is the security argument: an event that is itself a late consequence of reactions sets off nothing, then the rate,
 * then one replica claims it, and only then is the acl-service asked by way of the gateway. What it refuses is not sent.
 *
 * Spec: docs/reactor.md.
 */
import {
  err,
  isMap,
  KWARG_MARK,
  ok,
  parseMinionId,
  type Refusal,
  type Result,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { Budget } from '../budget.js';
import { type Cause, depthOf } from './cause.js';
import { fillIn, isOfEvent, type ReactorEvent } from './event-values.js';
import { type Reaction, saidOf, targetOf } from './reactions.js';

/** The option of a reactor's request that names the reaction which asks. */
export const REACTION = 'reaction';

export interface ReactionCall {
  readonly reaction: Reaction;
  readonly cause: Cause;
  readonly tgt: string | readonly string[];
  readonly args: readonly Value[];
}

type Became = 'ran' | 'refused' | 'left_out';

export interface ReactorPorts {
  /** Whether this replica is the one that runs this reaction to this event. */
  claim(event: string, reaction: string): Promise<boolean>;
  /** Asks the gateway; the value is the jid. */
  ask(call: ReactionCall): Promise<Result<string, Refusal>>;
  /** Counts a reaction by what has become of it. */
  count(became: Became): void;
  /** Says so in the log; of those that are above the rate once, and not of all that are left out. */
  note(became: Became, about: Readonly<Record<string, unknown>>, sentence: string): void;
  /** Milliseconds. */
  now(): number;
}

export interface ReactorLimits {
  /** How many reactions may come one from another. */
  readonly depth: number;
  /** Reactions of one rule in a minute, at each replica. */
  readonly rate: number;
}

const MINUTE_S = 60;
const MAX_AT_ONCE = 32;
/** Of one rule's reactions that an event leaves out the log tells so many at once, and then one a second: whoever fires the events says how many there are. */
const TOLD = { rate: 1, burst: 60 };

export class Reactor {
  /** By the reaction's name. */
  readonly #budget: Budget;
  /** By the reaction's name: how many of those that an event leaves out the log may still tell of. */
  readonly #told: Budget;
  /** By the reaction's name. Each has taken a token, and gives it back when it is not for this replica to run. */
  readonly #claims = new Map<string, Set<Promise<unknown>>>();
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly ports: ReactorPorts,
    private readonly reactions: readonly Reaction[],
    private readonly limits: ReactorLimits,
  ) {
    const { rate } = limits;
    this.#budget = new Budget({ rate: rate / MINUTE_S, burst: rate }, (reaction) => {
      const sentence = `more than reactor_rate (${String(rate)}) a minute; the rest is left out`;
      ports.note('left_out', { reaction }, sentence);
    });
    this.#told = new Budget(TOLD, (reaction) => {
      ports.note('left_out', { reaction }, 'more are left out than are told here; the figures count them all');
    });
  }

  /** Resolves when the next event may be heard, which is before the reactions have ended. */
  async hear(event: ReactorEvent): Promise<void> {
    for (const reaction of this.reactions) {
      if (!reaction.matches(event.tag)) continue;
      while (this.#running.size >= MAX_AT_ONCE) await Promise.race(this.#running);
      const running: Promise<void> = this.#react(reaction, event)
        .catch((cause: unknown) => {
          this.#ended('left_out', { ...about(reaction, event), err: cause }, 'a reaction failed');
        })
        .finally(() => {
          this.#running.delete(running);
        });
      this.#running.add(running);
    }
  }

  /** Resolves when all that was begun has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #react(reaction: Reaction, event: ReactorEvent): Promise<void> {
    const facts = about(reaction, event);
    const depth = depthOf(event) + 1;
    if (depth > this.limits.depth) {
      this.#leftOut({ ...facts, depth }, 'reactions set off one another; this one is left out');
      return;
    }
    const call = callOf(reaction, event, depth);
    if (!call.ok) {
      this.#leftOut(facts, call.error);
      return;
    }
    if (!(await this.#claim(reaction, event))) return;
    const asked = await this.ports.ask(call.value);
    if (asked.ok) this.#ended('ran', { ...facts, jid: asked.value }, 'a reaction');
    else this.#ended('refused', { ...facts, code: asked.error.code }, asked.error.sentence);
  }

  /** The event itself is why, at whatever pace such come: no rate stands before this. */
  #leftOut(facts: Facts, sentence: string): void {
    this.ports.count('left_out');
    if (this.#told.take(facts.reaction, this.ports.now())) this.ports.note('left_out', facts, sentence);
  }

  #ended(became: Became, facts: Facts, sentence: string): void {
    this.ports.count(became);
    this.ports.note(became, facts, sentence);
  }

  /** What ran before, or runs at another replica, costs nothing: after a restart the events of the last minutes come again. */
  async #claim({ name }: Reaction, event: ReactorEvent): Promise<boolean> {
    const claims = this.#claimsOf(name);
    while (claims.size > 0 && this.#budget.isSpent(name, this.ports.now())) await Promise.race(claims);
    if (!this.#budget.take(name, this.ports.now())) {
      this.ports.count('left_out');
      return false;
    }
    const claim = this.ports.claim(event.id, name).then((isOurs) => {
      if (!isOurs) this.#budget.give(name, 1, this.ports.now());
      return isOurs;
    });
    const over: Promise<unknown> = claim.catch(() => undefined).finally(() => claims.delete(over));
    claims.add(over);
    return claim;
  }

  #claimsOf(name: string): Set<Promise<unknown>> {
    const claims = this.#claims.get(name) ?? new Set();
    this.#claims.set(name, claims);
    return claims;
  }
}

interface Facts {
  readonly reaction: string;
  readonly [about: string]: unknown;
}

function about({ name, fun }: Reaction, { id, tag }: ReactorEvent): Facts {
  return { reaction: name, fun, event: id, tag };
}

function callOf(reaction: Reaction, event: ReactorEvent, depth: number): Result<ReactionCall, string> {
  const filled = fillIn([reaction.tgt, reaction.args, reaction.kwargs], event);
  if (!filled.ok) return filled;
  const [tgt, args, kwargs] = filled.value as readonly [Value, readonly Value[], ValueMap];
  const target = reaction.what === 'job' ? targetOf(reaction.tgt, tgt, isPlainId) : ok('');
  if (!target.ok) return target;
  if (!namesMinionsById(reaction, args, kwargs))
    return err('the event names more than minions by their ids as the target');
  if (!namesKeysById(reaction, args, kwargs)) return err('the event names more than keys by their ids as the match');
  // A map of the event must not pass for the named arguments of the call.
  if ([...args, kwargs].some(isMarked)) return err(`the event holds ${KWARG_MARK}`);
  const named = Object.keys(kwargs).length > 0 ? [{ ...kwargs, [KWARG_MARK]: true }] : [];
  const cause = { event: event.id, reaction: reaction.name, depth };
  return ok({ reaction, cause, tgt: target.value, args: [...args, ...named] });
}

/** `tgt` of a runner that runs functions is a target, and whoever asks for a key chooses the id in `salt/auth`: it might be `*`. */
function namesMinionsById(reaction: Reaction, args: readonly Value[], kwargs: ValueMap): boolean {
  if (reaction.what !== 'run') return true;
  const filled = saidOf({ ...reaction, args, kwargs }, 'tgt');
  return saidOf(reaction, 'tgt').every(
    (written, at) => !isOfEvent(written) || targetOf(written, filled[at] ?? null, isPlainId).ok,
  );
}

/** `match` of the wheel's `key.*` is a glob, and whoever asks for a key chooses its id. By state, in a map, ids are exact. */
function namesKeysById({ what, fun, ...written }: Reaction, args: readonly Value[], kwargs: ValueMap): boolean {
  if (what !== 'wheel' || !fun.startsWith('key.')) return true;
  return [
    [written.args[0], args[0]],
    [written.kwargs['match'], kwargs['match']],
  ].every(
    ([match = null, filled = null]) => isMap(match) || !isOfEvent(match) || targetOf(match, filled, isPlainId).ok,
  );
}

/** An id that no kind of target reads as more than itself. */
function isPlainId(text: string): boolean {
  return parseMinionId(text) !== undefined && !/[*?[\],\s@]/.test(text);
}

function isMarked(value: Value): boolean {
  return isMap(value) && Object.hasOwn(value, KWARG_MARK);
}
