/** Spooled events as lines: number, the event in base64, and a check of the line. */
import { decode, encode, type Wire } from '@natrium/envelope';
import { countValues, MAX_EVENT_VALUES } from '@natrium/model';
import { type Body, contracts, readAs, writeAs } from '@natrium/wire';
import { checkedWords, withCheck } from '../disk/checked-line.js';

const CHECK_DIGITS = 16;

export type FiredEvent = Body<typeof contracts.events>['events'][number];

/** An event, or how many could not be kept in its place. */
export interface Entry {
  readonly number: number;
  readonly event: FiredEvent | undefined;
  /** Set in the place of what was dropped; its number is the last of them. */
  dropped: number;
  readonly bytes: number;
  /** It is on its way: nothing is counted into it any more. */
  sent?: boolean;
}

export function bytesOf(event: FiredEvent): Uint8Array {
  return encode(writeAs(contracts.FiredEvent, event) as Wire);
}

/** No more are counted than one beyond what an event may hold. */
export function valuesOf({ data, load }: Pick<FiredEvent, 'data' | 'load'>): number {
  return countValues([data, load], MAX_EVENT_VALUES);
}

export function lineOf(number: number, body: Uint8Array): string {
  return `${withCheck(`${String(number)} ${Buffer.from(body).toString('base64')}`, CHECK_DIGITS)}\n`;
}

/** @returns undefined for a line that is damaged. */
export function readLine(line: string): Entry | undefined {
  const words = checkedWords(line, CHECK_DIGITS) ?? '';
  const [, number, base64] = /^(\d{1,16}) ([\w+/=]+)$/.exec(words) ?? [];
  if (base64 === undefined) return undefined;
  try {
    const body = Buffer.from(base64, 'base64');
    const wire = decode(body);
    if (typeof wire === 'number') return { number: Number(number), event: undefined, dropped: wire, bytes: 0 };
    return { number: Number(number), event: readAs(contracts.FiredEvent, wire), dropped: 0, bytes: body.length };
  } catch {
    return undefined;
  }
}
