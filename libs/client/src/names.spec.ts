/** Rules of names that no request can hold: they are refused with a sentence, and nothing is signed or sent. */
import type { JobNews } from '@natrium/model';
import type { Asker } from './asks.js';
import { MasterClient } from './master-client.js';

// Whoever reached for the bus or the key would fail.
const client = new MasterClient({} as Asker);
const about = { tgt: '*', tgtType: 'glob', timeout: 5, returner: '', returnerOptions: {}, options: {} };
const job = (funs: readonly string[]) => ({ ...about, funs, args: funs.map(() => []) });

async function heard(news: AsyncIterable<JobNews>): Promise<readonly string[]> {
  const codes: string[] = [];
  for await (const one of news) codes.push(one.type === 'refused' ? one.refusal.code : one.type);
  return codes;
}

it.each([
  [[''], 'empty_function'],
  [[], 'empty_function'],
  [['test.ping', ''], 'empty_function'],
  [['x'.repeat(257)], 'bad_request'],
  [Array.from({ length: 65 }, () => 'test.ping'), 'bad_request'],
])('%j', async (funs, code) => {
  expect(await heard(client.publish(job(funs)))).toEqual([code]);
  expect(await heard(client.inBatches(job(funs))(['a']))).toEqual([code]);
  expect(await client.publishAsync(job(funs))).toMatchObject({ ok: false, error: { code } });
});

it.each([
  ['', 'empty_function'],
  ['x'.repeat(257), 'bad_request'],
])('of runners and the wheel: %j', async (fun, code) => {
  const ask = { fun, args: [], timeout: 5 };
  expect(await client.run(ask)).toMatchObject({ ok: false, error: { code } });
  expect(await client.wheel(ask)).toMatchObject({ ok: false, error: { code } });
});
