/** A limit for what may never end by itself. */
import { BackEndFailed } from './back-end.js';

/** @param limitMs What has not ended by then goes on unheard. @throws {BackEndFailed} When it took longer. */
export async function endsWithin<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BackEndFailed(`it did not answer in ${String(limitMs)} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
