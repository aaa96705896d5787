/** Rules of what fits into no request: it is refused with a sentence that says why, and nothing of it is sent. */
import { readRequest, SigningKey, sodiumReady } from '@natrium/envelope';
import { MAX_LIFETIME, type Value } from '@natrium/model';
import type { Asker, JobAsk } from './asks.js';
import { MasterClient } from './master-client.js';
import { signAsk } from './signed-ask.js';

const ABOUT = { tgt: '*', tgtType: 'glob', timeout: 5, returner: '', returnerOptions: {}, options: {} };
const NOW = 1_795_000_000_000;

let asker: Asker;
beforeAll(async () => {
  await sodiumReady();
  const sealer = { clock: { now: () => NOW }, roles: { cluster: new Uint8Array(32) } };
  // Whoever reached for more of the bus would fail.
  asker = { bus: { sealer }, signing: SigningKey.generate() } as unknown as Asker;
});

const many = (count: number): readonly Value[] => Array.from({ length: count }, () => 'x');

function nested(levels: number): Value {
  let value: Value = 1;
  for (let n = 0; n < levels; n += 1) value = [value];
  return value;
}

it.each<[string, Partial<JobAsk>, RegExp]>([
  [
    '9 MB of arguments',
    { args: [['x'.repeat(9_000_000)]] },
    /^the request has 9000\d{3} bytes, with its arguments; at most 8192000 fit into one$/,
  ],
  [
    'as much as no message has room for beside the rest',
    { args: [['x'.repeat(8_192_000)]] },
    /^the request has 8192\d{3} bytes/,
  ],
  ['257 arguments', { args: [many(257)] }, /^this does not fit into a request: a function takes at most 256 arguments/],
  ['a target of 65,537 characters', { tgt: 'x'.repeat(65_537) }, /a target has at most 65,536 characters/],
  ['10,001 ids', { tgt: Array.from({ length: 10_001 }, () => 'x') }, /10,000 ids/],
  [
    'arguments nested too deeply',
    { args: [[nested(40)]] },
    /^this fits into no request: nested deeper than 32 levels$/,
  ],
  [
    '300,000 values in an argument',
    { args: [[many(300_000)]] },
    /^this fits into no request: more than 262144 values$/,
  ],
])('%s', async (_, change, sentence) => {
  const ask = { ...ABOUT, funs: ['test.ping'], args: [[]], ...change };
  const client = new MasterClient(asker);
  const refused = { code: 'bad_request', sentence: expect.stringMatching(sentence) as string };
  expect(await client.publishAsync(ask)).toEqual({ ok: false, error: refused });
  for await (const news of client.inBatches(ask)(['a'])) expect(news).toEqual({ type: 'refused', refusal: refused });
});

it('a runner, the wheel and the acl-service the same', async () => {
  const client = new MasterClient(asker);
  const args = many(257);
  const refused = { ok: false, error: { code: 'bad_request' } };
  const ask = { fun: 'test.arg', args, timeout: 5 };
  expect(await client.run(ask)).toMatchObject(refused);
  expect(await client.wheel(ask)).toMatchObject(refused);
  expect(await client.admin('key', 'key.list', args)).toMatchObject(refused);
});

it('what fits is signed as it is asked, and lives for its timeout and a minute', () => {
  const signed = signAsk(asker, { what: 'job', funs: ['test.ping'], args: [many(256)] }, { ...ABOUT, timeout: 4.2 });
  if (!signed.ok) throw new Error(signed.error.sentence);
  const { request, until } = signed.value;
  expect(readRequest(request)).toMatchObject({ ok: true, value: { timeout: 5, issued: NOW, lifetime: 65_000 } });
  expect(until).toBe(NOW + 65_000);
  const longest = signAsk(asker, { what: 'run', funs: ['manage.up'], args: [[]] }, { timeout: 86_400 });
  expect(longest.ok && longest.value.until).toBe(NOW + MAX_LIFETIME);
});
