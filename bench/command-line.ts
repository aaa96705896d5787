/** The words after `npm run bench --`. */
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';

export interface Wanted {
  readonly benches: readonly Bench[];
  /** Only names the benches. */
  readonly list: boolean;
  /** Where the figures are written. */
  readonly json: string | undefined;
  /** A file of figures to take in place of measuring. */
  readonly from: string | undefined;
  /** Writes the table into docs/performance.md. */
  readonly doc: boolean;
}

/** Words that mean nothing here; the message says which and what there is. */
export class UnknownWords extends Error {
  override readonly name = 'UnknownWords';
}

/** @throws {UnknownWords} For an unknown bench or option. */
export function readCommandLine(words: readonly string[], registry: readonly Bench[]): Wanted {
  const { values, positionals } = parsed(words);
  const unknown = positionals.filter((name) => !registry.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const names = registry.map(({ name }) => name).join(', ');
    throw new UnknownWords(`no bench ${unknown.join(', ')}; there are ${names}`);
  }
  const benches = registry.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { benches, ...values };
}

function parsed(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        from: { type: 'string' },
        doc: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    });
    const { json, from, doc, list } = values;
    return { positionals, values: { json, from, doc, list } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnknownWords(`${why}\nusage: npm run bench -- [NAME…] [--list] [--json FILE] [--from FILE] [--doc]`);
  }
}
