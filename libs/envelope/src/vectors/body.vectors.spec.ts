import { concat, fromHex, toHex } from '../bytes.js';
import { bodyKeys, messageHash, openBody, openWrap, sealBody, sealWrap } from '../message-body.js';
import { pad, unpad } from '../padding.js';
import { encodeReceipt, receiptOf } from '../receipt.js';
import { sodiumReady } from '../sodium.js';
import { bodyVectors, paddingVectors, wrapVectors } from './body.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = { padding: paddingVectors(), body: bodyVectors(), wraps: wrapVectors() };
const files = {
  padding: committed('padding', made.padding),
  body: committed('body', made.body),
  wraps: committed('wraps', made.wraps),
};

it('the committed vectors of bodies and wraps are what the generator makes', () => {
  expect(files).toEqual(made);
});

it.each(files.padding.cases)('padding: $name', ({ begin, size, last, plaintext }) => {
  const padded = new Uint8Array(size);
  padded.set(fromHex(begin));
  if (last !== undefined) padded[size - 1] = last;
  const read = unpad(padded);
  expect(read === undefined ? null : toHex(read)).toBe(plaintext);
  if (plaintext !== null) expect(pad(fromHex(plaintext))).toEqual(padded);
});

it.each(files.body.cases)('body: $name', (one) => {
  const { key, commitment } = bodyKeys(fromHex(one.contentKey));
  expect([toHex(key), toHex(commitment)]).toEqual([one.key, one.commitment]);
  const header = fromHex(one.header);
  expect(toHex(sealBody(key, header, fromHex(one.plaintext)))).toBe(one.body);
  expect(openBody(key, header, fromHex(one.body))).toEqual(pad(fromHex(one.plaintext)));
  expect(toHex(encodeReceipt(receiptOf(fromHex(one.contentKey))))).toBe(one.receipt);
});

it.each(files.wraps.cases)('wraps: $name', (one) => {
  const hash = messageHash(fromHex(one.header), fromHex(one.body));
  const place = { sender: fromHex(one.sender), recipient: fromHex(one.recipient), hash };
  const [pairKey, nonce, sealed] = [fromHex(one.pairKey), fromHex(one.nonce), fromHex(one.sealed)];
  const opened = openWrap(pairKey, place, { recipient: place.recipient, nonce, sealed });
  expect(opened === undefined ? null : toHex(opened.contentKey)).toBe(one.contentKey);
  if (opened === undefined) return;
  expect(toHex(opened.private)).toBe(one.private);
  expect(sealWrap(pairKey, place, concat(opened.contentKey, opened.private), nonce).sealed).toEqual(sealed);
});
