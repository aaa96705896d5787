/** What a function that was ended at its timeout has returned: the words by which its caller can tell that from any other failure. */
export function outOfTime(fun: string): string {
  return `'${fun}' was ended: it took too long`;
}
