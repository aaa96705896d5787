import { MAX_VALUES } from '@natrium/model';

import { readAnnouncement } from '../announcement.js';
import { equalBytes, fromHex, toHex } from '../bytes.js';
import { encode, type Wire } from '../encoding.js';
import { PairKeys } from '../epoch.js';
import { type OpenContext, openMessage } from '../open.js';
import { CLUSTER, NOW } from '../parties.spec-support.js';
import { SeenSets } from '../seen-sets.js';
import { sodiumReady } from '../sodium.js';
import { announcedOf, keyringOf, messageVectors } from './message.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = messageVectors();
const file = committed('messages', made);
const { cases } = file;
const read = readAnnouncement(announcedOf('sender'), CLUSTER(), NOW, () => [], 0);
const sender = read.ok ? read.value : undefined;
const answered = new Uint8Array(16).fill(7);

function contextAt(now: number): OpenContext {
  return {
    maxSize: 4096,
    keyring: keyringOf('receiver'),
    pairs: new PairKeys(),
    partyOf: (keyId) => (sender !== undefined && equalBytes(sender.keyId, keyId) ? sender : undefined),
    readAnnouncement: (signed) => readAnnouncement(signed, CLUSTER(), now, () => [], 30_000),
    allows: (kind) => kind === 'test' || kind === 'answer',
    parse: (_kind, plaintext): Wire => plaintext,
    now,
    skewMs: 30_000,
    maxValues: () => MAX_VALUES,
    maxLifetime: () => 60_000,
    seen: new SeenSets({ perSender: 10, senders: 10 }),
    expects: (re, _party, kind) => (kind === 'answer' ? re !== null && equalBytes(re, answered) : re === null),
  };
}

it('the committed vectors of messages are what the generator makes', () => {
  expect(file).toEqual(made);
});

it.each(cases)('messages: $name gives $expect', ({ message, now, expect: expected, ...what }) => {
  const context = contextAt(now);
  const opened = openMessage(fromHex(message), context);
  expect(opened.ok ? 'opened' : opened.error).toBe(expected);
  if (!opened.ok) return;
  expect(toHex(encode(opened.value.body as Wire))).toBe(what.plaintext);
  expect(toHex(opened.value.private)).toBe(what.private);
  expect(openMessage(fromHex(message), context)).toMatchObject({ error: 'replayed' });
});
