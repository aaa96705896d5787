/**
 * Times as people and scripts written for Salt say them: a jid, so long back from now, or one of the common notations that
 * Salt reads. Without a zone they are UTC, as jids are; without a date today, without a time midnight.
 */
import { jidOf } from '@natrium/model';
import { InvocationError } from '@natrium/modules';

const MAX_LENGTH = 64;
/** In microseconds since 1970; a jid has four digits for the year. */
const YEAR_10000 = Date.UTC(10_000, 0) * 1000;
const MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const DAY = '(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[, ]+)?';
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/;
const YEAR_NAMED = new RegExp(`^(\\d{4})[, -]+${MONTH}[ -]+(\\d{1,2})$`);
const DAY_NAMED = new RegExp(`^${DAY}(\\d{1,2})[ -]+${MONTH}[, -]+(\\d{4})$`);
const NAMED_DAY = new RegExp(`^${DAY}${MONTH} +(\\d{1,2})[, ]+(\\d{4})$`);

/** `19:00`, `7:30:05.25 pm` or `7pm`, with a zone or without one; at the end, or with the date behind it. */
const CLOCK =
  /(?<=^|\s)(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?(?:\s*([ap])m)?|(\d{1,2})\s*([ap])m)(?:\s*(z|utc|gmt|[-+]\d{2}(?::?\d{2})?))?(?=$|[\s,])/;

/**
 * The jid that a job of that moment would have, to the microsecond.
 *
 * @param nowMs Milliseconds since 1970.
 * @throws {InvocationError} When it cannot be read.
 */
export function jidAt(text: string, nowMs: number): string {
  const word = text.trim();
  if (/^\d{20}$/.test(word)) return word;
  const micros = word.length > MAX_LENGTH ? undefined : (backFrom(word, nowMs) ?? microsOf(word, nowMs));
  if (micros === undefined || micros < 0 || micros >= YEAR_10000) {
    const said = text.slice(0, MAX_LENGTH);
    throw new InvocationError(`cannot read '${said}' as a time: a date (2026-11-20 11:24), a jid, or 2h, 3d`);
  }
  return jidOf(micros);
}

function backFrom(word: string, nowMs: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})\s*([smhdw])(?:\s+ago)?$/.exec(word) ?? [];
  return count === undefined ? undefined : Math.floor(nowMs - Number(count) * (MS[unit] ?? 0)) * 1000;
}

function microsOf(word: string, nowMs: number): number | undefined {
  const spread = spreadOut(word.toLowerCase());
  const clock = CLOCK.exec(spread);
  const rest = spread.replace(CLOCK, '').replace(/^[,\s]+|[,\s]+$/g, '');
  const day = rest === '' && clock !== null ? Math.floor(nowMs / 86_400_000) * 86_400_000 : dayOf(rest);
  const ofDay = clock === null ? 0 : clockOf(clock);
  return day === undefined || ofDay === undefined ? undefined : day * 1000 + ofDay;
}

/** `20150316T190000` is `2015-03-16 19:00:00`, and the `T` of ISO a blank. */
function spreadOut(word: string): string {
  return word
    .replace(/^(\d{4})(\d{2})(\d{2})(?=$|[t ]|\d{4}(?:\d{2})?(?:\.\d+)?$)/, '$1-$2-$3 ')
    .replace(/^(\d[\d./-]*\d) ?t(?=\d)/, '$1 ')
    .replace(/^(\d{4}-\d{2}-\d{2}) +(\d{2})(\d{2})$/, '$1 $2:$3')
    .replace(/^(\d{4}-\d{2}-\d{2}) +(\d{2})(\d{2})(\d{2})(\.\d+)?(?=$|z|[-+])/, '$1 $2:$3:$4$5');
}

/** Milliseconds. `03/04/2015` begins with its month, as in Salt, unless that is above 12. */
function dayOf(date: string): number | undefined {
  const numbers = YEAR_FIRST.exec(date);
  if (numbers !== null) return dayFrom(numbers[1], Number(numbers[3]), numbers[4]);
  const last = YEAR_LAST.exec(date);
  if (last !== null) {
    const [, one, , other, year] = last;
    return Number(one) > 12 ? dayFrom(year, Number(other), one) : dayFrom(year, Number(one), other);
  }
  const [, year, month, day] = YEAR_NAMED.exec(date) ?? [];
  if (year !== undefined) return dayFrom(year, monthOf(month), day);
  const [, dayBefore, monthBehind, yearLast] = DAY_NAMED.exec(date) ?? [];
  if (yearLast !== undefined) return dayFrom(yearLast, monthOf(monthBehind), dayBefore);
  const [, monthBefore, dayBehind, yearBehind] = NAMED_DAY.exec(date) ?? [];
  return yearBehind === undefined ? undefined : dayFrom(yearBehind, monthOf(monthBefore), dayBehind);
}

function monthOf(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3)) + 1;
}

/** @returns undefined for a day that no calendar has. */
function dayFrom(year: string | undefined, month: number, day: string | undefined): number | undefined {
  const ms = Date.UTC(Number(year), month - 1, Number(day));
  const read = new Date(ms);
  const isSame = read.getUTCMonth() === month - 1 && read.getUTCDate() === Number(day);
  return isSame && read.getUTCFullYear() === Number(year) ? ms : undefined;
}

/** Microseconds since midnight UTC. */
function clockOf(found: readonly (string | undefined)[]): number | undefined {
  const [, hour, minute = '0', second = '0', fraction = '', half, bareHour, bareHalf] = found;
  const hours = hourOf(Number(hour ?? bareHour), half ?? bareHalf);
  const east = secondsEast(found[8]);
  if (hours === undefined || east === undefined || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = hours * 3600 + Number(minute) * 60 + Number(second) - east;
  return seconds * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

/** @returns undefined for a zone that no clock has. */
function secondsEast(zone = ''): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
