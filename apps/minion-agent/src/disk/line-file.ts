/**
 * A file of lines that is appended to while there is something to keep, and emptied or written anew. After a write that was
 * torn the next line begins on one of its own, so that a reader loses no more than the torn one.
 */
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskTrouble, PartlyWritten, removeDrafts, writeWhole } from '@natrium/keystore';

const OWNER_ONLY = 0o600;
/** How soon a disk that took nothing is tried again. */
const RETRY_MS = 1000;
/** A file this large of which less than half still waits is written anew; where that fails, the next try is a minute later. */
const LARGE_BYTES = 4 << 20;
const HALF = 1 / 2;
const REWRITE_AGAIN_MS = 60_000;

export class LineFile {
  #file: number | undefined;
  #bytes = 0;
  /** The last line may be a part of one. */
  #torn = false;
  #rewriteFrom = 0;

  constructor(readonly path: string) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** What is there, undefined without a file; the last line is empty, or a torn one. For the one process that writes it: drafts of it go. */
  read(): readonly string[] | undefined {
    if (!existsSync(this.path)) return undefined;
    removeDrafts(this.path);
    const text = readFileSync(this.path, 'utf8');
    this.#bytes = Buffer.byteLength(text);
    const lines = text.split('\n');
    this.#torn = lines.at(-1) !== '';
    return lines;
  }

  /** One write. @throws {Error} When not all of it was taken. */
  append(text: string): void {
    this.#file ??= this.#open();
    const bytes = Buffer.from(`${this.#torn ? '\n' : ''}${text}`);
    this.#torn = true;
    const written = writeSync(this.#file, bytes);
    this.#bytes += written;
    if (written !== bytes.length) throw new PartlyWritten();
    this.#torn = false;
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
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    return openSync(this.path, 'a', OWNER_ONLY);
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

  /** One write. As long as there is trouble the first is tried alone: with each that comes all would be copied. @throws {Error} When not all was taken. */
  append(lines: readonly string[]): void {
    const [first = ''] = lines;
    if (this.#isOn) this.file.append(first);
    const left = this.#isOn ? lines.slice(1) : lines;
    if (left.length > 0) this.file.append(left.join(''));
    if (this.#isOn) this.onProblem(this.words.over);
    this.#isOn = false;
  }

  /** The file is opened anew then: its disk may be another. */
  failed(cause: unknown): void {
    this.file.close();
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
