/** Now, as Salt's `_stamp`: UTC, ISO, microseconds, no zone. */
export function nowStamp(): string {
  return `${new Date().toISOString().slice(0, -1)}000`;
}
