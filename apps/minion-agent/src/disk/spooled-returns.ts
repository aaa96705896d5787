/** Spooled returns as lines: digest, the return and when it came in base64, and a check of the line. */
import { decode, encode } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { fromPlain, type Jid, type Plain, toPlain } from '@natrium/model';
import { checkedWords, withCheck } from './checked-line.js';

const CHECK_DIGITS = 16;

export interface SpooledReturn {
  readonly ret: MinionReturn;
  /** When it came, in milliseconds; undefined in a line that was written before there was one. */
  readonly since: number | undefined;
}

/** @throws {Error} For a return that no encoding carries. */
export function lineOf(spooled: SpooledReturn): string {
  const base64 = Buffer.from(bytesOf(spooled)).toString('base64');
  return `${withCheck(`${spooled.ret.digest} ${base64}`, CHECK_DIGITS)}\n`;
}

/** @returns undefined for a line that is damaged. */
export function readLine(line: string): SpooledReturn | undefined {
  const words = checkedWords(line, CHECK_DIGITS) ?? '';
  const [, digest, base64] = /^([0-9a-f]{64}) ([\w+/=]+)$/.exec(words) ?? [];
  if (digest === undefined || base64 === undefined) return undefined;
  try {
    return fromBytes(digest, Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

function bytesOf({ ret: { jid, instance, status, code, outcome }, since }: SpooledReturn): Uint8Array {
  const { ret, retcode, success, out } = outcome;
  const words = [jid, instance, status, code, toPlain(ret), retcode, success, out] as const;
  return encode(since === undefined ? [...words] : [...words, since]);
}

function fromBytes(digest: string, bytes: Uint8Array): SpooledReturn {
  const [jid, instance, status, code, ret, retcode, success, out, since] = decode(bytes) as readonly [
    Jid, string, MinionReturn['status'], string | null, Plain, number, boolean, string | null, number | undefined,
  ]; // prettier-ignore
  return {
    ret: { jid, digest, instance, status, code, outcome: { ret: fromPlain(ret), retcode, success, out } },
    since,
  };
}
