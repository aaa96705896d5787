/** What `natriumctl swarm` and its processes of simulated minions say to each other, over the channel between them. */

/** What is made of one process. */
export interface SwarmShare {
  /** Ids are this and a number. */
  readonly prefix: string;
  /** The first number, and how many. */
  readonly from: number;
  readonly count: number;
  /** Connections that the minions of this process share; without it each has one of its own. */
  readonly connections?: number;
  /** Milliseconds from the end of the work to the return. */
  readonly answerDelayMs: number;
}

/** A minion as the operator enrols it; keys are 64 hexadecimal digits. */
export interface SwarmKey {
  readonly id: string;
  readonly identity: string;
  readonly nkey: string;
}

/**
 * `begin`: make identities. `come`: they are accepted now. The others are for benches: `hold` keeps the next jobs unopened,
 * `work` opens them and keeps the returns, `open` sends those and lets everything pass again; `plain` answers what comes as it
 * is, with so many bytes, until `open`; `rest` is done when all returns are stored.
 */
export type SwarmOrder =
  | { readonly type: 'begin'; readonly share: SwarmShare }
  | { readonly type: 'come' }
  | { readonly type: 'hold' | 'work' | 'open' | 'rest' }
  | { readonly type: 'plain'; readonly bytes: number };

/** Times are milliseconds of the clock that all processes of a host share (`process.hrtime`). */
export type SwarmNews =
  | { readonly type: 'keys'; readonly keys: readonly SwarmKey[] }
  | { readonly type: 'progress'; readonly live: number }
  | { readonly type: 'lost'; readonly id: string }
  | { readonly type: 'failed'; readonly sentence: string }
  /** All that was to be held is held. */
  | { readonly type: 'held'; readonly what: 'jobs' | 'returns'; readonly at: number; readonly bytes: number }
  /** `at`: when it was begun. */
  | { readonly type: 'done'; readonly order: SwarmOrder['type']; readonly at: number };
