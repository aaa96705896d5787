/** The pieces that every message schema is made of, with a bound on every length. */
import { fromPlain, type Plain, toPlain, type Value } from '@natrium/model';
import * as z from 'zod/mini';
import { fields, turned } from './codec.js';

export const MAX_MINIONS = 100_000;
export const MAX_REQUEST = 8 << 20;

export function bytes(max: number): z.ZodMiniType<Uint8Array> {
  return z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length <= max);
}

/** Exactly `size` bytes: a shorter key, digest or signature is none. */
export function bytesOf(size: number): z.ZodMiniType<Uint8Array> {
  return z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === size);
}

export const digest = bytesOf(32);
export const publicKey = bytesOf(32);
export const signature = bytesOf(64);
export const text = (max: number) => z.string().check(z.maxLength(max));
export const word = z.string().check(z.minLength(1), z.maxLength(256));
/** A process of a role: a word in a subject, which must be nothing else there. */
export const instance = z.string().check(z.regex(/^[a-z0-9_-]{1,64}$/));
export const minionId = z.string().check(z.minLength(1), z.maxLength(255));
/** Whether an id that a caller has named can be told as a minion's; an empty one, or one that is too long, cannot. */
export function isTellable(id: string): boolean {
  return minionId.safeParse(id).success;
}

export const jid = z.string().check(z.regex(/^\d{20}$/));
export const count = z.int().check(z.minimum(0));

/** A signed object: its bytes exactly as they were signed, and the signature. */
export const signed = fields({ bytes: bytes(8 << 20), signature });

/** A running runner's proof: the request that started it and the grant for it. */
export const GrantRun = fields({ request: bytes(MAX_REQUEST), grant: signed });

const anyValue: z.ZodMiniType<Value, Value> = z.any();
/** A value of libs/model; `Float` and `bigint` travel tagged. */
export const value = turned(
  z.codec(z.unknown(), anyValue, {
    decode: (plain, { issues }) => {
      try {
        return fromPlain(plain as Plain);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        issues.push({ code: 'custom', input: plain, message: error.message });
        return null;
      }
    },
    encode: (item) => toPlain(item) as unknown,
  }),
  (plain) => fromPlain(plain as Plain),
  (item) => toPlain(item as Value),
);

export const refused = fields({ code: word, sentence: text(4096) });

/** The JWT by which the broker knows a user. */
export const userJwt = z.string().check(z.minLength(1), z.maxLength(4096));

/** What a minion made of a job. */
export const returnStatus = z.enum(['done', 'refused', 'interrupted', 'already_returned']);

/** What came of a job at one minion, or of a run. */
export const Outcome = fields({
  ret: value,
  retcode: z.int(),
  success: z.boolean(),
  out: z.nullable(text(64)),
});
