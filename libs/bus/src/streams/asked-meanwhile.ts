/** A broker may place what it is asked to make at a node that has died, and then never answers: so it is asked again meanwhile. */

/**
 * Asks again every `againMs` milliseconds until one of the questions is answered or fails; of a slow broker, the first answer counts.
 *
 * @param unused Hears every later answer, which nobody uses.
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
