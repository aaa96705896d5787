/** What was typed and what came, as a page of docs/ shows it: written with UPDATE_DOCS=1, else compared. */
import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from '../support/places.js';
import type { Ran } from '../support/run-program.js';

const [BEGIN, END] = ['<!-- transcript -->', '<!-- /transcript -->'];

export class Transcript {
  readonly #parts: string[] = [];

  say(text: string): void {
    this.#parts.push(`${text}\n`);
  }

  ran(line: string, { stdout, stderr, code }: Ran): void {
    const said = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== '');
    const exit = code === 0 ? [] : [`(exit ${String(code)})`];
    this.#parts.push(['```', `$ ${line}`, ...said, ...exit, '```', ''].join('\n'));
  }

  /** @returns The page as it is, and as it has to be. */
  check(page: string): { readonly found: string; readonly wanted: string } {
    const path = inRoot(page);
    const found = readFileSync(path, 'utf8');
    const [before = '', rest = ''] = found.split(BEGIN);
    const [, after = ''] = rest.split(END);
    const wanted = `${before}${BEGIN}\n\n${this.#parts.join('\n')}\n${END}${after}`;
    if (process.env['UPDATE_DOCS'] !== '1') return { found, wanted };
    writeFileSync(path, wanted);
    return { found: wanted, wanted };
  }
}
