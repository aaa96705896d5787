import { REFUSAL_CODES } from '@natrium/model';

const KNOWN: ReadonlySet<string> = new Set(REFUSAL_CODES);
/** Whatever is none of the codes: a service that answers so, of a newer version or in other hands, gets no figure of its own for each. */
const OTHER = 'other';

/** Counts the refusals that callers have heard of this gateway, over the bus and over HTTP: docs/operations.md#monitor. */
export class Refusals {
  /** By code. */
  readonly counts = new Map<string, number>();

  /** @param refusal null: the caller was not refused. */
  count(refusal: { readonly code: string } | null): void {
    if (refusal === null) return;
    const code = KNOWN.has(refusal.code) ? refusal.code : OTHER;
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
  }
}
