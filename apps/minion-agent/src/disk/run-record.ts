/**
 * The run-once record on disk: a log to which each run is appended before it starts and when it has finished.
 *
 * An append is one write, without fsync: a killed agent loses nothing, and after a power loss the kernel's boot id has
 * changed, which makes the record possibly incomplete. So does a damaged record, or one that is gone.
 *
 * While the disk takes nothing, nothing runs; what was written in part is taken back, or the file is written anew as soon as
 * that can be.
 *
 * Each line: state, digest, until, jid, and a check of the line. A doubt is a line as well, `before` and the time in ms before
 * which requests are refused: it outlives a restart, since what ran before the loss can still be sent again after it. So does what
 * was forgotten, `ended` and the latest end of it: a clock that was ahead then may be set back.
 *
 * A new identity gets its record with its key, of no boot yet: whatever becomes of the host until it is let in, nothing has run.
 * Spec: spec/envelope.md#durability.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Admission, RunOnce, type RunState } from '@natrium/jobs';
import { diskTrouble, PartlyWritten, syncName, writeWhole } from '@natrium/keystore';
import { reading } from './reading.js';
import { type Found, foundIn, type Line, textOf, timeText } from './run-lines.js';

const OWNER_ONLY = 0o600;
const COMPACT_LINES = 20_000;
/** Writing all of it takes as long as many runs do: where a disk lets lines only be added, it is not tried after each of them. */
const COMPACT_AGAIN_MS = 60_000;
const SWEEP_MS = 10_000;
const BEGUN: RunState = 'started';
const FILE = 'run-once';
/** In the place of a boot's id: no agent has opened this record. */
const UNOPENED = 'none';

export interface Unfinished {
  readonly digest: string;
  readonly jid: string;
}

export interface RecordOptions {
  readonly folder: string;
  readonly bootId: string;
  readonly now: () => number;
  /** Told once when the disk begins to take nothing, and once when it is over. */
  onProblem(problem: string, cause?: unknown): void;
  /** Appends what the disk takes; the system's own, unless a spec says otherwise. @returns How many bytes that were. */
  readonly write?: (file: number, bytes: Uint8Array) => number;
  /** The same for all of it. */
  readonly writeAnew?: typeof writeWhole;
}

export function recordFolder({ cachedir }: { readonly cachedir: string }): string {
  return join(cachedir, 'record');
}

/** For an identity that was made just now. What is there stays: it is of an earlier one, and as it was left. */
export function beginRecord(folder: string): void {
  const path = join(folder, FILE);
  if (!existsSync(path)) writeWhole(path, `boot ${UNOPENED}\n`, OWNER_ONLY);
}

export class RunRecord {
  readonly #once = new RunOnce();
  readonly #path: string;
  readonly #jids = new Map<string, string>();
  readonly #late: Line[] = [];
  /** Runs that are over and whose returns wait in the spool. */
  readonly #unstored = new Set<string>();
  #file: number | undefined;
  #lines = 0;
  /** Of the open file, as far as it is whole. */
  #bytes = 0;
  /** It has to be written anew before anything is added to it. */
  #broken = false;
  /** The file says that nothing has run; it must be gone for good before anything does. */
  #unopened = false;
  #troubled = false;
  #sweepAt = 0;
  #compactFrom = 0;
  #refuseBefore = 0;
  /** Why the record may lack something; undefined when it is whole. */
  readonly doubt: string | undefined;
  readonly unfinished: readonly Unfinished[];

  constructor(private readonly options: RecordOptions) {
    this.#path = join(options.folder, FILE);
    const { lines, doubt, refuseBefore, forgottenUntil } = this.#read();
    this.doubt = doubt;
    this.#refuseBefore = refuseBefore;
    this.#once.refuseIssuedBefore(refuseBefore);
    this.#once.forgotUntil(forgottenUntil);
    for (const { digest, state, until, jid } of lines) {
      this.#once.restore(digest, state, until);
      this.#jids.set(digest, jid);
    }
    // Also what has ended since: its caller still waits for a word, and it is told once.
    this.unfinished = this.#once
      .entries()
      .filter(({ state }) => state === 'started')
      .map(({ digest }) => ({ digest, jid: this.#jids.get(digest) ?? '' }));
    this.#once.expire(options.now());
    // A doubtful record keeps its doubtful look until it says from when on it can be trusted.
    if (doubt === undefined) this.#broken = !this.#startAnew();
  }

  /** A record that may be incomplete refuses what was issued before this, also after the next restart. */
  refuseIssuedBefore(ms: number): void {
    this.#refuseBefore = Math.max(this.#refuseBefore, ms);
    this.#once.refuseIssuedBefore(this.#refuseBefore);
    this.#broken = !this.#startAnew();
  }

  admit(digest: string, issued: number, until: number): Admission {
    return this.#once.admit(digest, issued, until);
  }

  /** @returns false when it cannot be written: then nothing may run. */
  start(digest: string, until: number, jid: string): boolean {
    if (!this.#write([{ state: 'started', digest, until, jid }])) return false;
    this.#sweep();
    this.#once.started(digest, until);
    this.#jids.set(digest, jid);
    return true;
  }

  /** The run is over and its return is in the spool; on disk it stays begun until that return is stored. */
  ran(digest: string): void {
    this.#once.finished(digest);
    this.#unstored.add(digest);
  }

  /**
   * The return is stored by a gateway. The line goes out with the next run's: until then a killed agent would say
   * "interrupted" of a run whose return is stored, and the gateway takes one return of each.
   */
  finish(digest: string): void {
    this.#unstored.delete(digest);
    this.#late.push({ state: 'finished', digest, until: 0, jid: this.#jids.get(digest) ?? '' });
    this.#jids.delete(digest);
    this.#once.finished(digest);
    if (this.#lines > COMPACT_LINES && performance.now() >= this.#compactFrom) this.#compact();
  }

  /** What has ended is not kept in memory until the file is written anew. */
  #sweep(): void {
    const now = this.options.now();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_MS;
    this.#once.expire(now);
  }

  /** Forgets requests that no party accepts any more. @returns How many are still remembered. */
  forgetEnded(): number {
    this.#once.expire(this.options.now());
    return this.#once.size;
  }

  close(): void {
    if (this.#late.length > 0) this.#write([]);
    this.#closeFile();
    if (this.#broken) this.#startAnew();
  }

  /** One write for these lines and those that have waited for one. @returns false when the disk did not take them. */
  #write(lines: readonly Line[]): boolean {
    if (this.#broken && !this.#startAnew()) return false;
    this.#broken = false;
    try {
      this.#file ??= this.#open();
      const all = [...this.#late, ...lines];
      const bytes = Buffer.from(all.map((line) => `${textOf(line)}\n`).join(''));
      if ((this.options.write ?? writeSync)(this.#file, bytes) !== bytes.length) throw new PartlyWritten();
      this.#bytes += bytes.length;
      this.#lines += all.length;
      this.#late.length = 0;
    } catch (cause) {
      this.#takeBack();
      this.#failed(cause);
      return false;
    }
    this.#recovered();
    return true;
  }

  #open(): number {
    const file = openSync(this.#path, 'a', OWNER_ONLY);
    this.#bytes = fstatSync(file).size;
    return file;
  }

  /** A half-written line would put the next one in doubt. */
  #takeBack(): void {
    try {
      if (this.#file === undefined) this.#broken = true;
      else ftruncateSync(this.#file, this.#bytes);
    } catch {
      this.#broken = true;
    }
    this.#closeFile();
  }

  #failed(cause: unknown): void {
    const sentence = `nothing runs on this minion: ${diskTrouble(this.#path, cause)}`;
    if (!this.#troubled) this.options.onProblem(sentence, cause);
    this.#troubled = true;
  }

  #recovered(): void {
    if (this.#troubled) this.options.onProblem('the run-once record can be written again: jobs run');
    this.#troubled = false;
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined; // also where closing fails: its number is another file's soon
    try {
      if (file !== undefined) closeSync(file);
    } catch {
      this.#broken = true; // a disk on another host may say only then that it took nothing of what was added
    }
  }

  /** @returns false when the file cannot be written anew: nothing may run on what is there. */
  #startAnew(): boolean {
    try {
      this.#writeAnew();
      return true;
    } catch (cause) {
      this.#failed(cause);
      return false;
    }
  }

  #compact(): void {
    this.#compactFrom = performance.now() + COMPACT_AGAIN_MS;
    try {
      this.#writeAnew();
      this.#compactFrom = 0;
    } catch {
      // The old file stands, and is whole; appending will tell whether the disk can be written.
    }
  }

  /** Writes what still counts to a new file, which takes the old one's place. */
  #writeAnew(): void {
    this.#once.expire(this.options.now());
    const entries = this.#once.entries();
    const live = new Set(entries.map(({ digest }) => digest));
    for (const digest of this.#jids.keys()) if (!live.has(digest)) this.#jids.delete(digest);
    for (const digest of this.#unstored) if (!live.has(digest)) this.#unstored.delete(digest);
    const onDisk = entries.map((entry) => (this.#unstored.has(entry.digest) ? { ...entry, state: BEGUN } : entry));
    const lines = onDisk.map((entry) => textOf({ ...entry, jid: this.#jids.get(entry.digest) ?? '' }));
    const times = [...timeText('before', this.#refuseBefore), ...timeText('ended', this.#once.forgottenUntil)];
    this.#closeFile();
    const text = [`boot ${this.options.bootId}`, ...times, ...lines, ''].join('\n');
    (this.options.writeAnew ?? writeWhole)(this.#path, text, OWNER_ONLY);
    if (this.#unopened) syncName(this.#path);
    this.#unopened = false;
    this.#lines = 0;
    this.#late.length = 0;
  }

  #read(): Found & { readonly doubt: string | undefined } {
    if (!existsSync(this.#path))
      return { lines: [], doubt: 'the run-once record is gone', refuseBefore: 0, forgottenUntil: 0 };
    const { boot, isWhole, ...found } = foundIn(reading(this.#path, () => readFileSync(this.#path, 'utf8')));
    if (boot === undefined || !isWhole) return { ...found, doubt: 'the run-once record is damaged' };
    this.#unopened = boot === UNOPENED;
    return {
      ...found,
      doubt: this.#unopened || boot === this.options.bootId ? undefined : 'this host has been restarted',
    };
  }
}
