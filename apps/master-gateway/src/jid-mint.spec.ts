/** Rules of the jids that one gateway mints: rising, none twice, and two gateways hardly ever meet in one millisecond. */
import { jidMint } from './jid-mint.js';

const NOW = 1_795_000_000_000;

it('lie anywhere within their millisecond', () => {
  const jids = Array.from({ length: 200 }, () => jidMint(() => NOW)());
  expect(new Set(jids.map((jid) => jid.slice(0, 17)))).toEqual(new Set([jids[0]?.slice(0, 17)]));
  // Of 200 out of 1,000 some 180 are different; without chance all of them are the same.
  expect(new Set(jids).size).toBeGreaterThan(100);
});

it('rise, and none comes twice, however many are minted in one millisecond', () => {
  const next = jidMint(() => NOW);
  const jids = Array.from({ length: 2000 }, () => next());
  expect([...new Set(jids)].sort()).toEqual(jids);
});
