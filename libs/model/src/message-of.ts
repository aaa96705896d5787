/** What something that was thrown says, for a sentence. In a test's own realm the file system's errors are no `Error`, and still have a message. */
export function messageOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : String(cause);
}
