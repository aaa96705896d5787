/**
 * Events for the master that no gateway has stored yet, in the order of their numbers: each is appended to a file before it is
 * sent, and forgotten when it is stored. The numbers go on rising over restarts, so a gateway knows what it has already.
 *
 * When it is full, new events are refused and counted; the count takes its place among the others and is sent with them.
 *
 * Each line: number, the event in base64, and a check of the line. Spec: spec/envelope.md#durability.
 */
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, type Wire } from '@natrium/envelope';
import { writeWhole } from '@natrium/keystore';
import { type Body, contracts, readAs, writeAs } from '@natrium/wire';
import { checkOf } from '../spool.js';

export type FiredEvent = Body<typeof contracts.events>['events'][number];

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
  onProblem(problem: string, cause?: unknown): void;
}

/** An event, or how many could not be kept in its place. */
interface Entry {
  readonly number: number;
  readonly event: FiredEvent | undefined;
  /** Set in the place of what was dropped; its number is the last of them. */
  dropped: number;
  readonly bytes: number;
  /** It is on its way: nothing is counted into it any more. */
  sent?: boolean;
}

const OWNER_ONLY = 0o600;
const COMPACT_BYTES = 4 << 20;
const BATCH_EVENTS = 1000;
const BATCH_BYTES = 1 << 20;

export class EventSpool {
  #entries: Entry[] = [];
  #bytes = 0;
  #next: number;
  /** Numbers up to this one are written, or could not be. */
  #inFile = 0;
  readonly #path: string;
  #file: number | undefined;
  #fileBytes = 0;
  readonly #unwritten: string[] = [];
  readonly #written: (() => void)[] = [];

  constructor(private readonly options: EventSpoolOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#path = join(options.folder, 'events');
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

  /** There is something to send: an event goes out only when it is in the file, so that no number that went out is given anew. */
  get ready(): boolean {
    const [oldest] = this.#entries;
    return oldest !== undefined && oldest.number <= this.#inFile;
  }

  /** Resolves when the event is written: true, or false when there is no room and it was dropped. */
  add(event: FiredEvent): Promise<boolean> {
    const { maxEvents, maxBytes } = this.options;
    const number = this.#next;
    this.#next += 1;
    const body = encode(writeAs(contracts.FiredEvent, event) as Wire);
    if (this.#entries.length >= maxEvents || this.#bytes + body.length > maxBytes) {
      return this.#drop(number).then(() => false);
    }
    this.#entries.push({ number, event, dropped: 0, bytes: body.length });
    this.#bytes += body.length;
    return this.#write(lineOf(number, body)).then(() => true);
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
    let bytes = 0;
    for (const { number, event, bytes: size } of this.#entries.slice(start, start + BATCH_EVENTS)) {
      if (event === undefined || number !== first + events.length || number > this.#inFile) break;
      if (bytes > 0 && bytes + size > BATCH_BYTES) break;
      events.push(event);
      bytes += size;
    }
    return { first, dropped: oldest.dropped, events };
  }

  /** They are stored. */
  forget(through: number): void {
    const kept = this.#entries.findIndex(({ number }) => number > through);
    const gone = this.#entries.splice(0, kept === -1 ? this.#entries.length : kept);
    for (const { bytes } of gone) this.#bytes -= bytes;
    if (gone.length === 0) return;
    if (this.empty && this.#unwritten.length === 0) this.#empty();
    else if (this.#fileBytes > COMPACT_BYTES && this.#fileBytes > 4 * this.#bytes) this.#rewrite();
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
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #drop(number: number): Promise<void> {
    const last = this.#entries.at(-1);
    const open = last !== undefined && last.dropped > 0 && last.sent !== true ? last : undefined;
    if (open !== undefined) this.#entries.pop();
    const dropped = (open?.dropped ?? 0) + 1;
    this.#entries.push({ number, event: undefined, dropped, bytes: 0 });
    if (dropped === 1) this.options.onProblem('the spool of events is full: events are dropped until there is room');
    return this.#write(lineOf(number, encode(dropped)));
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve) => {
      this.#unwritten.push(line);
      this.#written.push(resolve);
      if (this.#unwritten.length === 1) setImmediate(() => {
        this.#writeNew();
      }); // prettier-ignore
    });
  }

  /** One write for all of this turn of the event loop. What cannot be written is kept in memory, so that it is still sent. */
  #writeNew(): void {
    const text = this.#unwritten.splice(0).join('');
    const written = this.#written.splice(0);
    if (text !== '') this.#append(text);
    this.#inFile = this.last;
    for (const done of written) done();
  }

  #append(text: string): void {
    try {
      this.#file ??= openSync(this.#path, 'a', OWNER_ONLY);
      const bytes = Buffer.from(text);
      this.#fileBytes += bytes.length;
      if (writeSync(this.#file, bytes) !== bytes.length) throw new Error('short write');
    } catch (cause) {
      this.options.onProblem('an event could not be written to the spool and is kept in memory only', cause);
    }
  }

  #empty(): void {
    try {
      if (this.#file !== undefined) ftruncateSync(this.#file, 0);
      this.#fileBytes = 0;
    } catch (cause) {
      this.options.onProblem('the spool of events could not be emptied; the master drops what it has already', cause);
    }
  }

  #rewrite(): void {
    this.#unwritten.length = 0; // they are among the entries
    this.#inFile = this.last;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    const text = this.#entries
      .map(({ number, event, dropped }) =>
        lineOf(number, encode(event === undefined ? dropped : (writeAs(contracts.FiredEvent, event) as Wire))),
      )
      .join('');
    try {
      writeWhole(this.#path, text, OWNER_ONLY);
      this.#fileBytes = text.length;
    } catch (cause) {
      this.options.onProblem('the spool of events could not be written anew', cause);
    }
  }

  /** A torn last line was never confirmed to anyone; any other damage is reported. */
  #load(): void {
    if (!existsSync(this.#path)) return;
    const lines = readFileSync(this.#path, 'utf8').split('\n');
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

  #keep(entry: Entry): void {
    const last = this.#entries.at(-1);
    if (entry.dropped > 0 && last !== undefined && last.dropped > 0) this.#entries.pop(); // its count goes on in this one
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#next = Math.max(this.#next, entry.number + 1);
  }
}

function lineOf(number: number, body: Uint8Array): string {
  const words = `${String(number)} ${Buffer.from(body).toString('base64')}`;
  return `${words} ${checkOf(words)}\n`;
}

function readLine(line: string): Entry | undefined {
  const [, words = '', number, base64 = '', check] = /^((\d{1,16}) ([\w+/=]+)) ([0-9a-f]{16})$/.exec(line) ?? [];
  if (check === undefined || checkOf(words) !== check) return undefined;
  try {
    const body = Buffer.from(base64, 'base64');
    const wire = decode(body);
    if (typeof wire === 'number') return { number: Number(number), event: undefined, dropped: wire, bytes: 0 };
    return { number: Number(number), event: readAs(contracts.FiredEvent, wire), dropped: 0, bytes: body.length };
  } catch {
    return undefined;
  }
}
