/**
 * A file of lines that is appended to while there is something to keep, and emptied or written anew. What a disk took in part is
 * taken back; after a line that is torn all the same the next begins on one of its own, so that a reader loses no more than that.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { LineReader } from '@natrium/events';
import { diskTrouble, PartlyWritten, removeDrafts, writeWhole } from '@natrium/keystore';
import { reading } from './reading.js';

const OWNER_ONLY = 0o600;
/** How soon a disk that took nothing is tried again. */
const RETRY_MS = 1000;
/** A file this large of which less than half still waits is written anew; where that fails, the next try is a minute later. */
const LARGE_BYTES = 4 << 20;
const PIECE_BYTES = 1 << 20;
const LONGEST_LINE = 64 << 20;
const HALF = 1 / 2;
const REWRITE_AGAIN_MS = 60_000;

export class LineFile {
  #file: number | undefined;
  #bytes = 0;
  /** The last line may be a part of one. */
  #torn = false;
  #rewriteFrom = 0;

  /** @param write Appends what the disk takes; the system's own, unless a spec says otherwise. @returns How many bytes that were. */
  constructor(
    readonly path: string,
    private readonly write: (file: number, bytes: Uint8Array) => number = writeSync,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** What is there, undefined without a file; the last line is empty, or a torn one. For the one process that writes it: drafts of it go. */
  read(): readonly string[] | undefined {
    if (!existsSync(this.path)) return undefined;
    removeDrafts(this.path);
    const { lines, bytes } = reading(this.path, () => linesOf(this.path));
    this.#bytes = bytes;
    this.#torn = lines.at(-1) !== '';
    return lines;
  }

  /** One write. @throws {Error} When not all of it was taken: then nothing of it is there. */
  append(text: string): void {
    const file = (this.#file ??= this.#open());
    const bytes = Buffer.from(`${this.#torn ? '\n' : ''}${text}`);
    try {
      if (this.write(file, bytes) !== bytes.length) throw new PartlyWritten();
    } catch (cause) {
      this.#takeBack(file);
      throw cause;
    }
    this.#bytes += bytes.length;
    this.#torn = false;
  }

  /** It is written again, and a part of it would stay beside that and take the last room. */
  #takeBack(file: number): void {
    try {
      if (fstatSync(file).size > this.#bytes) ftruncateSync(file, this.#bytes);
    } catch {
      this.#torn = true;
    }
  }

  /** Whether it is worth writing anew. @param waiting Bytes of the lines that still count. */
  isMostlyOld(waiting: number): boolean {
    return this.#bytes > LARGE_BYTES && waiting < this.#bytes * HALF && performance.now() >= this.#rewriteFrom;
  }

  /** In one step: after an error the old file stands. @throws {Error} */
  rewrite(text: string): void {
    this.close();
    this.#rewriteFrom = performance.now() + REWRITE_AGAIN_MS;
    writeWhole(this.path, text, OWNER_ONLY);
    this.#rewriteFrom = 0;
    this.#bytes = Buffer.byteLength(text);
    this.#torn = false;
  }

  /** @throws {Error} */
  empty(): void {
    if (this.#bytes === 0) return;
    this.#file ??= this.#open();
    ftruncateSync(this.#file, 0);
    this.#bytes = 0;
    this.#torn = false;
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined; // also where closing fails: its number is another file's soon
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = openSync(this.path, 'a', OWNER_ONLY);
    this.#bytes = fstatSync(file).size;
    return file;
  }
}

/** Piece by piece: a file may be longer than a text can be. A line that is longer than any of ours is cut, and so damaged. */
function linesOf(path: string): { readonly lines: readonly string[]; readonly bytes: number } {
  const file = openSync(path, 'r');
  try {
    const lines: string[] = [];
    const piece = Buffer.alloc(PIECE_BYTES);
    let reader = new LineReader();
    let bytes = 0;
    for (let taken = readSync(file, piece); taken > 0; taken = readSync(file, piece)) {
      bytes += taken;
      for (const line of reader.take(piece.subarray(0, taken))) lines.push(line);
      if (reader.waiting <= LONGEST_LINE) continue;
      lines.push('a part of a line');
      reader = new LineReader();
    }
    for (const line of reader.take(Buffer.from('\n'))) lines.push(line);
    return { lines, bytes };
  } finally {
    closeSync(file);
  }
}

export interface DiskTroubleWords {
  /** What happens meanwhile: `returns are kept in memory only`. */
  readonly begins: string;
  readonly over: string;
}

/** Writing a file, and trouble with it: told once when it begins and once when it is over, and writing is tried again meanwhile. */
export class DiskTrouble {
  #isOn = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: LineFile,
    private readonly words: DiskTroubleWords,
    private readonly onProblem: (problem: string, cause?: unknown) => void,
    private readonly tryAgain: () => void,
  ) {}

  /**
   * One write. As long as there is trouble the first is tried alone: with each that comes all would be copied.
   *
   * @returns How many of them are in the file, from the first on: those are not to be written again. What is left is tried again soon.
   */
  append(lines: readonly string[]): number {
    let taken = 0;
    try {
      if (this.#isOn) {
        this.file.append(lines[0] ?? '');
        taken = 1;
      }
      if (taken < lines.length) this.file.append(lines.slice(taken).join(''));
    } catch (cause) {
      this.failed(cause);
      return taken;
    }
    if (this.#isOn) this.onProblem(this.words.over);
    this.#isOn = false;
    return lines.length;
  }

  /** The file is opened anew then: its disk may be another. */
  failed(cause: unknown): void {
    try {
      this.file.close();
    } catch {
      // A disk on another host may say so only then; it is opened anew all the same.
    }
    if (!this.#isOn) this.onProblem(`${this.words.begins}: ${diskTrouble(this.file.path, cause)}`, cause);
    this.#isOn = true;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.tryAgain();
    }, RETRY_MS).unref();
  }

  close(): void {
    clearTimeout(this.#retry);
  }
}
