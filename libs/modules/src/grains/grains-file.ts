/**
 * The grains that were set on this host: the file `grains` in the folder of the minion's configuration, in YAML, as Salt has
 * it. They come after what is gathered and before the `grains` of the configuration itself.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readYaml, withIndentation } from '@natrium/args';
import { isMap, messageOf, type ValueMap, writeJson } from '@natrium/model';

const OWNER_WRITES = 0o640;

export class GrainsFile {
  readonly path: string;

  /** @param folder Of the minion's configuration. */
  constructor(folder: string) {
    this.path = join(folder, 'grains');
  }

  /** Empty where there is no such file. @throws {Error} When it cannot be read, or is no mapping: with its path. */
  read(): ValueMap {
    const text = this.#text();
    if (text.trim() === '') return {};
    const value = parsed(text, this.path);
    if (value === null) return {};
    if (!isMap(value)) throw new Error(`${this.path}: it is not a mapping of grains`);
    return value;
  }

  /** Whoever reads meanwhile reads the old file or the new one, whole. @throws {Error} When it cannot be written. */
  write(grains: ValueMap): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const next = `${this.path}.${process.pid}.new`;
    try {
      writeFileSync(next, yaml(grains), { mode: OWNER_WRITES, flush: true });
      renameSync(next, this.path);
    } finally {
      rmSync(next, { force: true });
    }
  }

  #text(): string {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
  }
}

function parsed(text: string, path: string) {
  try {
    return readYaml(withIndentation(text), path).value;
  } catch (error) {
    throw new Error(`${path} is no YAML: ${messageOf(error)}`, { cause: error });
  }
}

/** One line for each grain; its value in YAML's flow style, which is JSON's. */
function yaml(grains: ValueMap): string {
  return Object.entries(grains)
    .map(([name, value]) => `${JSON.stringify(name)}: ${writeJson(value)}\n`)
    .join('');
}
