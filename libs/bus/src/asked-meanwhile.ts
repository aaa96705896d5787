/** A broker may put what it is asked for at a node that died, and then never answers: another is asked for meanwhile. */

/**
 * Asks again each `againMs` milliseconds until one of the asks is over: a slow broker's first answer counts like its last.
 *
 * @param unused Told of what comes after that.
 * @throws {Error} The failure, when that comes first.
 */
export function askedMeanwhile<T>(ask: () => Promise<T>, againMs: number, unused: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const end = () => {
      over = true;
      clearInterval(again);
    };
    const hear = (made: T) => {
      if (over) unused(made);
      else resolve(made);
      end();
    };
    const askOnce = () => {
      const asked = new Promise<T>((begun) => {
        begun(ask()); // what it throws fails the promise
      });
      asked.catch(end);
      asked.then(hear, reject);
    };
    const again = setInterval(askOnce, againMs);
    askOnce();
  });
}
