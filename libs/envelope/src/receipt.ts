/**
 * A receipt: the answer that says nothing but that what was asked is done. It needs no seal, for it is made of the question's content
 * key, which its sender and its recipients know and nobody else: whoever gives it has opened that question.
 *
 * `[1, "receipt", bin 32]`: three parts, the second a text, so no message reads as one, nor it as a message.
 *
 * Spec: spec/envelope.md#receipt; vectors: spec/vectors/body.json.
 */
import { concat, equalBytes, utf8 } from './bytes.js';
import { blake2b } from './sodium.js';

const RECEIPT_BYTES = 32;
const LABEL = utf8('natrium/1/receipt');
/** The encoding has one form, so all that stands before the receipt is the same in each. */
const HEAD = concat(Uint8Array.of(0x93, 1, 0xa7), utf8('receipt'), Uint8Array.of(0xc4, RECEIPT_BYTES));

/** @param contentKey The question's. @returns 32 bytes. */
export function receiptOf(contentKey: Uint8Array): Uint8Array {
  return blake2b(RECEIPT_BYTES, contentKey, LABEL);
}

export function encodeReceipt(receipt: Uint8Array): Uint8Array {
  return concat(HEAD, receipt);
}

/** @returns undefined when the bytes are something else; whose receipt it is, and whether it is one, shows in comparing it. */
export function readReceipt(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length !== HEAD.length + RECEIPT_BYTES || !equalBytes(bytes.subarray(0, HEAD.length), HEAD))
    return undefined;
  return bytes.subarray(HEAD.length);
}
