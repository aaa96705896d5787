/**
 * The code of something that was thrown, such as the system's `ENOENT`; undefined where it has none. It is no matter of
 * `instanceof Error`: in a test's own realm the file system's errors are none.
 */
export function codeOf(cause: unknown): string | undefined {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
