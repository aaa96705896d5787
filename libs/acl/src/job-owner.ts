/** Who may read the returns of a job that a minion published: its caller alone, by exact id. Spec: spec/acl.md#results. */
export function mayReadJob(owner: string | undefined, caller: string): boolean {
  return owner !== undefined && owner === caller;
}
