/** Long work in slices, between which the process answers others: a gateway that answers nothing for a while is taken for dead. */
import { setImmediate as turn } from 'node:timers/promises';

/** What a slice decodes: a few milliseconds' work, whether that is some hundred small values or one that is large. */
const SLICE_BYTES = 256 << 10;
/** What each item costs beside its bytes, as bytes. */
const EACH_BYTES = 512;

/** All of them, one after the other; what is done with one belongs to its slice. */
export async function* inSlices<T>(
  all: Iterable<T> | AsyncIterable<T>,
  bytesOf: (item: T) => number,
): AsyncGenerator<T> {
  let bytes = 0;
  for await (const item of all) {
    if (bytes >= SLICE_BYTES) {
      await turn();
      bytes = 0;
    }
    yield item;
    bytes += EACH_BYTES + bytesOf(item);
  }
}
