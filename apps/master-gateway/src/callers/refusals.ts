/** Counts the refusals that callers have heard of this gateway, over the bus and over HTTP: docs/operations.md#monitor. */
export class Refusals {
  /** By code. */
  readonly counts = new Map<string, number>();

  /** @param refusal null: the caller was not refused. */
  count(refusal: { readonly code: string } | null): void {
    if (refusal !== null) this.counts.set(refusal.code, (this.counts.get(refusal.code) ?? 0) + 1);
  }
}
