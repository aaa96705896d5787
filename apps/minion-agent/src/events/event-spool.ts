/**
 * Events for the master that no gateway has stored yet, in the order of their numbers: each is appended to a file before it is
 * sent, and forgotten when it is stored. The numbers go on rising over restarts, so a gateway knows what it has already.
 *
 * `add` resolves when the event is in the file, or stored by the master: while the disk takes nothing, events are kept in memory
 * and sent, and nobody hears that one is kept before it is.
 *
 * When it is full, new events are refused and counted; the count takes its place among the others and is sent with them.
 *
 * Spec: spec/envelope.md#durability.
 */
import { join } from 'node:path';
import { encode } from '@natrium/envelope';
import { MAX_EVENT_VALUES } from '@natrium/model';
import { DiskTrouble, LineFile } from '../disk/line-file.js';
import { bytesOf, type Entry, type FiredEvent, lineOf, readLine, valuesOf } from './event-lines.js';

/** What goes into one message. */
export interface EventBatch {
  readonly first: number;
  readonly dropped: number;
  readonly events: readonly FiredEvent[];
}

export interface EventSpoolOptions {
  readonly folder: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Where numbers begin when the file knows none: above all that were given before. */
  readonly firstNumber: number;
  /** Told once when the disk begins to take nothing, and once when it is over. */
  onProblem(problem: string, cause?: unknown): void;
  /** There is something new to send. */
  onReady(): void;
}

/** Waits to be in the file. */
interface Unwritten {
  readonly number: number;
  readonly line: string;
  /** When `done` is called: once it is kept, there or by the master, or once that was tried. */
  readonly until: 'kept' | 'tried';
  readonly done: () => void;
}

/** What a line is larger than its event: by its encoding, and by its number and check at most. */
const [BASE64, LINE_BYTES] = [4 / 3, 40];
const BATCH_EVENTS = 1000;
const BATCH_BYTES = 1 << 20;

export class EventSpool {
  #entries: Entry[] = [];
  #bytes = 0;
  #next: number;
  /** Numbers up to this one are written, or could not be. */
  #inFile = 0;
  readonly #file: LineFile;
  readonly #trouble: DiskTrouble;
  #unwritten: Unwritten[] = [];
  #isTurnTaken = false;

  constructor(private readonly options: EventSpoolOptions) {
    this.#file = new LineFile(join(options.folder, 'events'));
    const words = {
      begins: 'events are kept in memory only',
      over: 'the spool of events can be written again: every event that waits is in it',
    };
    this.#trouble = new DiskTrouble(this.#file, words, options.onProblem.bind(options), () => {
      this.#writeNew();
    });
    this.#next = options.firstNumber;
    this.#load();
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The highest number that was given. */
  get last(): number {
    return this.#next - 1;
  }

  get empty(): boolean {
    return this.#entries.length === 0;
  }

  /** There is something to send: an event goes out only when it is in the file, or the disk did not take it. */
  get ready(): boolean {
    const [oldest] = this.#entries;
    return oldest !== undefined && oldest.number <= this.#inFile;
  }

  /** Resolves when the event is kept: true, or false when there is no room and it was dropped. */
  add(event: FiredEvent): Promise<boolean> {
    const { maxEvents, maxBytes } = this.options;
    const number = this.#next;
    this.#next += 1;
    const body = bytesOf(event);
    if (this.#entries.length >= maxEvents || this.#bytes + body.length > maxBytes) {
      return this.#drop(number).then(() => false);
    }
    this.#entries.push({ number, event, dropped: 0, bytes: body.length });
    this.#bytes += body.length;
    return this.#write(number, body).then(() => true);
  }

  /**
   * The oldest that fit into one message; undefined when there are none. Their numbers follow one another, since the message
   * says only the first: after a restart the new ones, whose numbers begin higher, go into a message of their own.
   */
  batch(): EventBatch | undefined {
    const [oldest] = this.#entries;
    if (oldest === undefined || !this.ready) return undefined;
    oldest.sent = true;
    const start = oldest.dropped > 0 ? 1 : 0;
    const first = oldest.number + start;
    const events: FiredEvent[] = [];
    let [bytes, values] = [0, 0];
    for (const { number, event, bytes: size } of this.#entries.slice(start, start + BATCH_EVENTS)) {
      if (event === undefined || number !== first + events.length || number > this.#inFile) break;
      const more = valuesOf(event);
      if (bytes > 0 && (bytes + size > BATCH_BYTES || values + more > MAX_EVENT_VALUES)) break;
      events.push(event);
      bytes += size;
      values += more;
    }
    return { first, dropped: oldest.dropped, events };
  }

  /** They are stored. */
  forget(through: number): void {
    const kept = this.#entries.findIndex(({ number }) => number > through);
    const gone = this.#entries.splice(0, kept === -1 ? this.#entries.length : kept);
    this.#settle(through);
    for (const { bytes } of gone) this.#bytes -= bytes;
    if (gone.length === 0) return;
    if (this.empty && this.#unwritten.length === 0) this.#empty();
    else this.#compact();
  }

  /** The master has stored higher numbers of ours than we know of: what waits is numbered anew above them. */
  renumber(above: number): void {
    let number = Math.max(above, this.#next);
    this.#entries = this.#entries.map((entry) => {
      number += 1;
      return { ...entry, number };
    });
    this.#next = number + 1;
    this.#rewrite();
  }

  close(): void {
    this.#writeNew();
    this.#trouble.close();
    this.#file.close();
  }

  #drop(number: number): Promise<void> {
    const last = this.#entries.at(-1);
    const open = last !== undefined && last.dropped > 0 && last.sent !== true ? last : undefined;
    if (open !== undefined) this.#entries.pop();
    const dropped = (open?.dropped ?? 0) + 1;
    this.#entries.push({ number, event: undefined, dropped, bytes: 0 });
    if (dropped === 1) this.options.onProblem('the spool of events is full: events are dropped until there is room');
    return this.#write(number, encode(dropped), 'tried');
  }

  #write(number: number, body: Uint8Array, until: Unwritten['until'] = 'kept'): Promise<void> {
    return new Promise((done) => {
      this.#unwritten.push({ number, line: lineOf(number, body), until, done });
      if (this.#isTurnTaken) return;
      this.#isTurnTaken = true;
      setImmediate(() => {
        this.#isTurnTaken = false;
        this.#writeNew();
      });
    });
  }

  /** One write for all of this turn of the event loop. What cannot be written is kept in memory, so that it is still sent. */
  #writeNew(): void {
    this.#inFile = this.last;
    if (this.#unwritten.length === 0) return;
    const kept = this.#append();
    this.options.onReady();
    if (kept.length === 0) return;
    // Once they have left for the master, which somebody waits for there.
    setImmediate(() => {
      for (const { done } of kept) done();
    });
  }

  /** @returns What is in the file now, and was not before. */
  #append(): readonly Unwritten[] {
    const taken = this.#trouble.append(this.#unwritten.map(({ line }) => line));
    const kept = this.#unwritten.splice(0, taken);
    for (const { until, done } of this.#unwritten) if (until === 'tried') done();
    if (kept.length > 0) this.#compact(); // each event that finds no room adds a line with their count
    return kept;
  }

  /** A large file of which little still waits is written anew. */
  #compact(): void {
    const waiting = this.#bytes * BASE64 + this.#entries.length * LINE_BYTES;
    if (this.#file.isMostlyOld(waiting)) this.#rewrite();
  }

  /** They are kept, in the file or by the master. */
  #settle(through: number): void {
    for (const { number, done } of this.#unwritten) if (number <= through) done();
    this.#unwritten = this.#unwritten.filter(({ number }) => number > through);
  }

  #empty(): void {
    try {
      this.#file.empty();
    } catch (cause) {
      this.options.onProblem('the spool of events could not be emptied; the master drops what it has already', cause);
    }
  }

  #rewrite(): void {
    this.#inFile = this.last;
    const text = this.#entries
      .map(({ number, event, dropped }) => lineOf(number, event === undefined ? encode(dropped) : bytesOf(event)))
      .join('');
    try {
      this.#file.rewrite(text);
      this.#settle(this.last); // they are among the entries
    } catch (cause) {
      // The old file stands, with what is stored already: the master drops that.
      this.#trouble.failed(cause);
    }
  }

  /** A torn last line was never confirmed to anyone; any other damage is reported. */
  #load(): void {
    const lines = this.#file.read();
    if (lines === undefined) return;
    let damaged = 0;
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const entry = readLine(line);
      if (entry !== undefined) this.#keep(entry);
      else if (index < lines.length - 1) damaged += 1;
    }
    if (damaged > 0) this.options.onProblem(`${String(damaged)} spooled events are damaged and are left out`);
    this.#rewrite();
  }

  #keep(read: Entry): void {
    if (goesOn(read, this.#entries.at(-1))) this.#entries.pop();
    const isTooWide = read.event !== undefined && valuesOf(read.event) > MAX_EVENT_VALUES;
    if (isTooWide) this.options.onProblem('a spooled event has more values than a gateway reads; it is dropped');
    const entry = isTooWide ? { ...read, event: undefined, dropped: 1, bytes: 0 } : read;
    // A count may have been on its way when the agent was killed.
    this.#entries.push({ ...entry, sent: true });
    this.#bytes += entry.bytes;
    this.#next = Math.max(this.#next, entry.number + 1);
  }
}

/** The same count, later: each drop adds one to it and to its number. One that began anew stands for itself. */
function goesOn({ number, dropped }: Entry, earlier: Entry | undefined): boolean {
  return earlier !== undefined && earlier.dropped > 0 && number - dropped === earlier.number - earlier.dropped;
}
