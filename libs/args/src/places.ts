/** Where each key and list item of a YAML text begins, from js-yaml's events. */
import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { keyText } from './map-pairs.js';
import { readPlainWord } from './scalars.js';

/** Keys of mappings and indexes of lists, from the top. */
export type Path = readonly (string | number)[];

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A collection that is being walked: `path` of itself, `next` of its next child; a mapping awaits a key while `next` is undefined. */
interface Frame {
  readonly path: Path;
  readonly isMap: boolean;
  next: string | number | undefined;
}

/** @returns what knows the place of a path; of an unknown one, that of its nearest known ancestor. */
export function placesOf(text: string, events: readonly Event[]): (path: Path) => Place {
  const walk = new Walk(text);
  for (const event of events) walk.take(event);
  return (path) => walk.locate(path);
}

class Walk {
  readonly #offsets = new Map<string, number>();
  readonly #frames: Frame[] = [];
  readonly #lineStarts: readonly number[];
  /** What an alias may be as a key. */
  readonly #words = new Map<string, ScalarEvent>();

  constructor(private readonly text: string) {
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), (match) => match.index + match[0].length)];
  }

  take(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT) return;
    if (event.type === EVENT_ID.POP) {
      this.#frames.pop();
      this.#advance();
      return;
    }
    const word = this.#wordOf(event);
    if (word !== undefined && this.#awaitsKey()) return this.#takeKey(keyOf(this.text, word), startOf(event));
    const path = this.#childPath();
    this.#note(path, startOf(event));
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      const isMap = event.type === EVENT_ID.MAPPING;
      this.#frames.push({ path, isMap, next: isMap ? undefined : 0 });
    } else this.#advance();
  }

  locate(path: Path): Place {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = this.#offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return this.#placeOf(offset);
    }
    return { line: 1, column: 1 };
  }

  #awaitsKey(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.isMap === true && frame.next === undefined;
  }

  #wordOf(event: Event): ScalarEvent | undefined {
    if (event.type === EVENT_ID.ALIAS) return this.#words.get(this.text.slice(event.anchorStart, event.anchorEnd));
    if (event.type !== EVENT_ID.SCALAR) return undefined;
    if (event.anchorStart >= 0) this.#words.set(this.text.slice(event.anchorStart, event.anchorEnd), event);
    return event;
  }

  #takeKey(text: string, start: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    frame.next = text;
    this.#note(this.#childPath(), start);
  }

  #childPath(): Path {
    const frame = this.#frames.at(-1);
    return frame === undefined ? [] : [...frame.path, frame.next ?? ''];
  }

  /** The first note of a path stays: a mapping's entry is where its key is. */
  #note(path: Path, offset: number): void {
    const key = JSON.stringify(path);
    if (offset >= 0 && !this.#offsets.has(key)) this.#offsets.set(key, offset);
  }

  #advance(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.next = typeof frame.next === 'number' ? frame.next + 1 : undefined;
  }

  #placeOf(offset: number): Place {
    const line = this.#lineStarts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) + 1 };
  }
}

function keyOf(text: string, scalar: ScalarEvent): string {
  const source = getScalarValue(text, scalar);
  const plain = scalar.style === SCALAR_STYLE.PLAIN && scalar.tagStart < 0;
  const meant = plain ? readPlainWord(source) : undefined;
  return keyText(meant === undefined ? source : meant) ?? source;
}

function startOf(event: Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  return event.type === EVENT_ID.SCALAR ? event.valueStart : event.start;
}
