/**
 * A JSON answer written piece by piece: the gateway's only thread has time for others in between, and no text is as long as the whole.
 * The pieces together are what `plainJson` of `@natrium/output` writes.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { isList, isMap, type Value } from '@natrium/model';
import { plainJson } from '@natrium/output';

/** So deep maps and lists are taken apart: those of `GET /jobs/JID` down into what a minion has returned. */
const DEPTH = 7;
/** Characters that are written at once. */
const AT_ONCE = 64 << 10;

export async function* jsonPieces(value: Value): AsyncGenerator<string> {
  let gathered = '';
  for (const piece of pieces(value, DEPTH)) {
    gathered += piece;
    if (gathered.length < AT_ONCE) continue;
    yield gathered;
    gathered = '';
    await turn();
  }
  yield gathered;
}

function* pieces(value: Value, depth: number): Generator<string> {
  if (depth === 0 || !(isList(value) || isMap(value))) {
    yield plainJson(value);
    return;
  }
  const members = isList(value)
    ? named(value)
    : Object.entries(value).map(([key, item]) => [`${plainJson(key)}: `, item] as const);
  yield isList(value) ? '[' : '{';
  for (const [index, [name, item]] of members.entries()) {
    yield index === 0 ? name : `, ${name}`;
    yield* pieces(item, depth - 1);
  }
  yield isList(value) ? ']' : '}';
}

function named(list: readonly Value[]) {
  return list.map((item) => ['', item] as const);
}
