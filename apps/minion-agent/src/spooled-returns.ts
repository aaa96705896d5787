/** Spooled returns as lines: digest, the return and when it came in base64, and a check of the line. */
import { blake2b, decode, encode, toHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { fromPlain, type Jid, type Plain, toPlain } from '@natrium/model';

export interface SpooledReturn {
  readonly ret: MinionReturn;
  /** When it came, in milliseconds; undefined in a line that was written before there was one. */
  readonly since: number | undefined;
}

/** @throws {Error} For a return that no encoding carries. */
export function lineOf(spooled: SpooledReturn): string {
  const words = `${spooled.ret.digest} ${Buffer.from(bytesOf(spooled)).toString('base64')}`;
  return `${words} ${checkOf(words)}\n`;
}

/** @returns undefined for a line that is damaged. */
export function readLine(line: string): SpooledReturn | undefined {
  const [, words = '', digest = '', base64 = '', check] =
    /^(([0-9a-f]{64}) ([\w+/=]+)) ([0-9a-f]{16})$/.exec(line) ?? [];
  if (check === undefined || checkOf(words) !== check) return undefined;
  try {
    return fromBytes(digest, Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

export function checkOf(words: string): string {
  return toHex(blake2b(16, null, Buffer.from(words))).slice(0, 16);
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
