/**
 * What differs from run to run and from machine to machine, made the same: job ids, times, keys, folders, versions.
 *
 * A masked jid and time are as long as real ones, so that what is drawn to their length stays as it is.
 */
/** The job id that every job has in the transcript. */
export const JID = '20261120112404639750';
const TIME = '2026, Nov 20 11:24:04.639750';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b20\d{18}\b/g, JID],
  [/\b20\d\d, [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.\d{6}/g, TIME],
  [/\b(?:[0-9a-f]{2}:){31}[0-9a-f]{2}\b/g, `11:22:33:${'..:'.repeat(4)}ff`],
  [/^MCowBQYDK2VwAyEA[\w+/=]+$/gm, 'MCowBQYDK2VwAyEA...'],
  [/nats:\/\/127\.0\.0\.1:\d+/g, 'nats://127.0.0.1:4222'],
  [/\bNode\.js v\S+, \S+ \S+/g, 'Node.js v20.19.0, linux x64'],
  [/\(running \d+ s\)/g, '(running 1 s)'],
];

/** @param folders Each folder of this run, and what it is called in the transcript. */
export function masked(text: string, folders: readonly (readonly [string, string])[]): string {
  const named = folders.reduce((shown, [folder, name]) => shown.replaceAll(folder, name), text);
  return RULES.reduce((shown, [pattern, name]) => shown.replaceAll(pattern, name), named);
}

/**
 * Answers sorted by their first line, because minions return in no order.
 *
 * @param text Blocks that each begin in the first column, as the formats nested, txt, jsonl and raw write them.
 */
export function inOrder(text: string): string {
  const blocks = text.split(/^(?=\S)/m);
  return blocks.sort().join('');
}
