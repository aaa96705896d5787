/**
 * How newcomers are let in without an operator, from the master's files as they are at that moment. Salt's rules: ids, globs
 * or whole regular expressions, one a line, `#` begins a comment; a file that others may write counts for nothing.
 *
 * `pki/minions/<id>` holds the public key (or its fingerprint) that the operator expects: that key is accepted until it is taken
 * away, any other under this id is rejected. `pki/minions_autosign/<id>` accepts the next key under this id, once, for `autosign_timeout` minutes.
 * An id is compared with what a folder holds; it never becomes part of a path by itself.
 *
 * What keeps somebody out is a deny rule: while `autoreject_file`, or the file of an expected key, cannot be used, whomever it
 * may be about waits for an operator.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterConfig } from '@natrium/config';
import { fingerprint, toHex } from '@natrium/envelope';
import type { Admission, Joiner } from '@natrium/flow';
import { messageOf, ok, pyStr } from '@natrium/model';
import { type Found, keysIn, linesOf, matches, namesIn, patternsOf, trusted } from './admission-files.js';

export interface AdmissionParts {
  /** As it is in force now. */
  readonly config: () => MasterConfig;
  readonly now: () => number;
  /** Whether one more minion may be accepted. */
  readonly hasRoom: () => boolean;
  /** Told of what cannot be used, in a sentence; once for each. */
  readonly onIgnored: (path: string, sentence: string) => void;
}

const MINUTE_MS = 60_000;
const EXPECTED = 'minions';
const NEXT_ONLY = 'minions_autosign';

const LETS_NOBODY_IN = 'this lets nobody in';
const TELLS_OF_NOBODY = 'this has to tell whom to keep out; until it is mended, nobody is let in without an operator';
const TELLS_OF_NO_KEY =
  'this has to tell which key to expect; until it is mended, no key that it may be about is let in without an operator';

export class FileAdmission implements Admission {
  readonly #told = new Set<string>();

  constructor(private readonly parts: AdmissionParts) {}

  get autoAccept(): boolean {
    return this.#config.auto_accept;
  }

  get maxPending(): number {
    return this.#config.max_pending;
  }

  get hasRoom(): boolean {
    return this.parts.hasRoom();
  }

  isInDoubt({ id }: Joiner): boolean {
    return !this.#rejected().ok || !this.#expectedKeys(id).ok;
  }

  rejects(joiner: Joiner): boolean {
    const rejected = this.#rejected();
    return (rejected.ok && matches(rejected.value, joiner.id)) || this.#expected(joiner) === 'another';
  }

  expects(joiner: Joiner): boolean {
    return this.#expected(joiner) === 'this';
  }

  signs(joiner: Joiner): boolean {
    const signed = this.#orNothing(linesOf(this.#config.autosign_file));
    return matches(signed, joiner.id) || this.#showsGrain(joiner) || this.#isNext(joiner);
  }

  get #config(): MasterConfig {
    return this.parts.config();
  }

  #rejected(): Found<readonly string[]> {
    return this.#telling(patternsOf(this.#config.autoreject_file), TELLS_OF_NOBODY);
  }

  #showsGrain({ grains }: Joiner): boolean {
    const folder = this.#config.autosign_grains_dir;
    return this.#orNothing(namesIn(folder)).some((name) => {
      const shown = Object.hasOwn(grains, name) ? grains[name] : undefined;
      return shown !== undefined && this.#orNothing(linesOf(join(folder, name))).includes(pyStr(shown));
    });
  }

  /** Whether the operator expects a key under this id, and whether it is this one. */
  #expected({ id, identity }: Joiner): 'this' | 'another' | undefined {
    const keys = this.#expectedKeys(id);
    if (!keys.ok || keys.value.length === 0) return undefined;
    return keys.value.includes(toHex(identity)) || keys.value.includes(fingerprint(identity)) ? 'this' : 'another';
  }

  #expectedKeys(id: string): Found<readonly string[]> {
    const path = this.#fileNamed(EXPECTED, id);
    return this.#telling(path.ok ? keysIn(path.value) : path, TELLS_OF_NO_KEY);
  }

  /** Whether the operator has announced this id for the next key that comes; the file is used up by the answer. */
  #isNext({ id }: Joiner): boolean {
    const path = this.#telling(this.#fileNamed(NEXT_ONLY, id), LETS_NOBODY_IN);
    const stat = path.ok ? this.#telling(trusted(path.value), LETS_NOBODY_IN) : path;
    if (!path.ok || !stat.ok || stat.value === undefined) return false;
    try {
      rmSync(path.value, { force: true });
    } catch (cause) {
      // It would let in every key that comes under this id.
      this.#tell(path.value, `${LETS_NOBODY_IN}: it cannot be removed (${messageOf(cause)})`);
      return false;
    }
    const { autosign_timeout: minutes } = this.#config;
    // As Salt's: 0 is no limit.
    return minutes === 0 || this.parts.now() - stat.value.mtimeMs <= minutes * MINUTE_MS;
  }

  /** `''` when the folder holds no such name. */
  #fileNamed(name: string, id: string): Found<string> {
    const folder = join(this.#config.pki_dir, name);
    const names = namesIn(folder);
    return names.ok ? ok(names.value.includes(id) ? join(folder, id) : '') : names;
  }

  #orNothing<T>(found: Found<readonly T[]>): readonly T[] {
    const told = this.#telling(found, LETS_NOBODY_IN);
    return told.ok ? told.value : [];
  }

  #telling<T>(found: Found<T>, consequence: string): Found<T> {
    if (!found.ok) this.#tell(found.error.path, `${consequence}: ${found.error.why}`);
    return found;
  }

  #tell(path: string, sentence: string): void {
    const about = `${path} ${sentence}`;
    if (!this.#told.has(about)) this.parts.onIgnored(path, sentence);
    this.#told.add(about);
  }
}
