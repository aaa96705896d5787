/**
 * Of what may come thousands of times a second, a log tells the first of each kind, and the others once a minute as a number, until a minute
 * passes without one.
 */
const COUNTED_MS = 60_000;

type Counts = Readonly<Record<string, number>>;

/**
 * @param tellCounts How many more there were of each kind in the last minute.
 * @returns Takes a kind, of a closed set, and says whether this is the first of it.
 */
export function firstThenCounts(tellCounts: (counts: Counts) => void): (kind: string) => boolean {
  const further = new Map<string, number>();
  const tell = () => {
    const some = [...further].filter(([, count]) => count > 0);
    further.clear();
    if (some.length === 0) return;
    tellCounts(Object.fromEntries(some));
    for (const [kind] of some) further.set(kind, 0);
    setTimeout(tell, COUNTED_MS).unref();
  };
  return (kind) => {
    const count = further.get(kind);
    if (further.size === 0) setTimeout(tell, COUNTED_MS).unref();
    further.set(kind, count === undefined ? 0 : count + 1);
    return count === undefined;
  };
}
