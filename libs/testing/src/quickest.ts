/** How fast some code is, and not how busy the machine: of a few tries one at least finds it with nothing else to do. */
const TRIES = 3;

/** @returns Milliseconds of the quickest try. */
export function quickest(attempt: () => void, tries = TRIES): number {
  const times = Array.from({ length: tries }, () => {
    const began = performance.now();
    attempt();
    return performance.now() - began;
  });
  return Math.min(...times);
}
