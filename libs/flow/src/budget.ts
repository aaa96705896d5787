/**
 * How much one caller may ask: a bucket of tokens that fills at a steady rate. A caller with none left is told to slow down; the
 * others notice nothing.
 *
 * The table is bounded: a caller whose bucket is full again is forgotten, and when no bucket is full, newcomers are refused.
 * Time comes in as a value.
 */
import { refusal } from '@natrium/model';

/** What a caller without a token hears. */
export const TOO_FAST = refusal('slow_down', 'too many requests in a short time; wait a moment and ask again');

export interface BudgetLimits {
  /** Tokens a second; 0: no limit. */
  readonly rate: number;
  /** Most tokens that are saved up: so much may come at once. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
  /** It was said that this caller is too fast. It is said again only after half of a burst has been saved up. */
  told: boolean;
}

const MAX_CALLERS = 20_000;

export class Budget {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly limits: BudgetLimits,
    /** Called once for each time that a caller becomes too fast. */
    private readonly onTooFast: (caller: string) => void = () => undefined,
    private readonly maxCallers = MAX_CALLERS,
  ) {}

  /** Takes one token. @returns false when there is none: the request is not even looked at. */
  take(caller: string, nowMs: number): boolean {
    if (this.limits.rate === 0) return true;
    const bucket = this.#bucketOf(caller, nowMs);
    if (bucket === undefined) return false;
    this.#fill(bucket, nowMs);
    if (bucket.tokens >= 1) {
      bucket.told &&= bucket.tokens < this.limits.burst / 2;
      bucket.tokens -= 1;
      return true;
    }
    if (!bucket.told) this.onTooFast(caller);
    bucket.told = true;
    return false;
  }

  /** Gives tokens back that were taken; nobody saves up more than a burst by that. */
  give(caller: string, tokens: number, nowMs: number): void {
    const bucket = this.#buckets.get(caller);
    if (bucket === undefined) return;
    this.#fill(bucket, nowMs);
    bucket.tokens = Math.min(bucket.tokens + tokens, this.limits.burst);
  }

  /** Takes what a request turned out to cost beyond its token. A caller may come to owe tokens, and has to wait until they are back. */
  charge(caller: string, tokens: number, nowMs: number): void {
    if (tokens === 0 || this.limits.rate === 0) return;
    const bucket = this.#bucketOf(caller, nowMs);
    if (bucket === undefined) return;
    this.#fill(bucket, nowMs);
    bucket.tokens -= tokens;
  }

  /** Whether the next one would be refused. */
  isSpent(caller: string, nowMs: number): boolean {
    if (this.limits.rate === 0) return false;
    const bucket = this.#bucketOf(caller, nowMs);
    if (bucket === undefined) return true;
    this.#fill(bucket, nowMs);
    return bucket.tokens < 1;
  }

  #bucketOf(caller: string, nowMs: number): Bucket | undefined {
    const known = this.#buckets.get(caller);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.maxCallers) this.#forgetFull(nowMs);
    if (this.#buckets.size >= this.maxCallers) return undefined;
    const bucket = { tokens: this.limits.burst, atMs: nowMs, told: false };
    this.#buckets.set(caller, bucket);
    return bucket;
  }

  #fill(bucket: Bucket, nowMs: number): void {
    const gained = (Math.max(nowMs - bucket.atMs, 0) / 1000) * this.limits.rate;
    bucket.tokens = Math.min(bucket.tokens + gained, this.limits.burst);
    bucket.atMs = nowMs;
  }

  #forgetFull(nowMs: number): void {
    for (const [caller, bucket] of this.#buckets) {
      this.#fill(bucket, nowMs);
      if (bucket.tokens >= this.limits.burst) this.#buckets.delete(caller);
    }
  }
}
