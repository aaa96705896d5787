/**
 * How newcomers are let in without an operator, from the master's files as they are at that moment. Salt's rules: ids, globs
 * or whole regular expressions, one a line, `#` begins a comment; a file that others may write counts for nothing.
 *
 * `pki/minions/<id>` holds the public key (or its fingerprint) that the operator expects: that key is accepted until it is taken
 * away, any other under this id is rejected. `pki/minions_autosign/<id>` accepts the next key under this id, once, for `autosign_timeout` minutes.
 * An id is compared with what a folder holds; it never becomes part of a path by itself.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterConfig } from '@natrium/config';
import { fingerprint, toHex } from '@natrium/envelope';
import type { Admission, Joiner } from '@natrium/flow';
import { compileWholeMatch } from '@natrium/matchers';
import { pyStr } from '@natrium/model';

export interface AdmissionParts {
  /** As it is in force now. */
  readonly config: () => MasterConfig;
  readonly now: () => number;
  /** Told of a file that is not heeded; once for each. */
  readonly onIgnored: (path: string, why: string) => void;
}

const GROUP_OR_OTHERS_WRITE = 0o022;
const MINUTE_MS = 60_000;
const EXPECTED = 'minions';
const NEXT_ONLY = 'minions_autosign';

export class FileAdmission implements Admission {
  readonly #told = new Set<string>();

  constructor(private readonly parts: AdmissionParts) {}

  get autoAccept(): boolean {
    return this.#config.auto_accept;
  }

  get maxPending(): number {
    return this.#config.max_pending;
  }

  rejects(joiner: Joiner): boolean {
    return this.#lists(this.#config.autoreject_file, joiner.id) || this.#expected(joiner) === 'another';
  }

  expects(joiner: Joiner): boolean {
    return this.#expected(joiner) === 'this';
  }

  signs(joiner: Joiner): boolean {
    return this.#lists(this.#config.autosign_file, joiner.id) || this.#showsGrain(joiner) || this.#isNext(joiner);
  }

  get #config(): MasterConfig {
    return this.parts.config();
  }

  #lists(path: string, id: string): boolean {
    return this.#linesOf(path).some((line) => compileWholeMatch(line).test(id));
  }

  #showsGrain({ grains }: Joiner): boolean {
    const folder = this.#config.autosign_grains_dir;
    if (folder === '' || !existsSync(folder)) return false;
    return readdirSync(folder).some((name) => {
      const shown = Object.hasOwn(grains, name) ? grains[name] : undefined;
      return shown !== undefined && this.#linesOf(join(folder, name)).includes(pyStr(shown));
    });
  }

  /** Whether the operator expects a key under this id, and whether it is this one. */
  #expected({ id, identity }: Joiner): 'this' | 'another' | undefined {
    const lines = this.#linesOf(this.#fileNamed(EXPECTED, id)).map((line) => line.toLowerCase());
    if (lines.length === 0) return undefined;
    return lines.includes(toHex(identity)) || lines.includes(fingerprint(identity)) ? 'this' : 'another';
  }

  /** Used up by the answer. */
  #isNext({ id }: Joiner): boolean {
    const path = this.#fileNamed(NEXT_ONLY, id);
    if (path === '' || !this.#isTrusted(path)) return false;
    const age = this.parts.now() - statSync(path).mtimeMs;
    try {
      rmSync(path, { force: true });
    } catch (cause) {
      // It would let in whoever comes, each time.
      this.#ignore(path, `it cannot be removed (${cause instanceof Error ? cause.message : String(cause)})`);
      return false;
    }
    return age <= this.#config.autosign_timeout * MINUTE_MS;
  }

  /** `''` when the folder holds no such name. */
  #fileNamed(name: string, id: string): string {
    const folder = join(this.#config.pki_dir, name);
    const found = existsSync(folder) && readdirSync(folder).find((entry) => entry === id);
    return found === false || found === undefined ? '' : join(folder, found);
  }

  #linesOf(path: string): readonly string[] {
    if (path === '' || !existsSync(path) || !this.#isTrusted(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  }

  #isTrusted(path: string): boolean {
    const stat = statSync(path);
    if (stat.isFile() && (stat.mode & GROUP_OR_OTHERS_WRITE) === 0) return true;
    this.#ignore(path, 'others than its owner may write it');
    return false;
  }

  #ignore(path: string, why: string): void {
    if (!this.#told.has(path)) this.parts.onIgnored(path, why);
    this.#told.add(path);
  }
}
