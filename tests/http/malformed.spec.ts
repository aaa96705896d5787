/**
 * Requests that nobody should send, made from a seed: none is a defect of ours (no 500), none ends a gateway, and none stays in its
 * memory. `NATRIUM_MALFORMED=10000` makes more of them.
 */
import { connect } from 'node:net';
import { until } from '@natrium/testing';
import fc from 'fast-check';
import { RECORDED } from './recorded.js';
import { useHttp } from './world.js';

const COUNT = Number(process.env['NATRIUM_MALFORMED'] ?? 600);
const AT_ONCE = 16;
const GROWTH_MB = 60;
const PATHS = [...new Set(RECORDED.map(({ path }) => path).filter((path) => path !== '/events'))];
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/x-yaml',
  'text/yaml',
  'x/y',
  '',
  ';;',
];
const KEYS = ['client', 'tgt', 'fun', 'arg', 'kwarg', 'tgt_type', 'timeout', 'batch', 'batch_wait', 'failhard', 'subset', 'token', 'username', 'password', 'eauth', 'ret', '__proto__', 'constructor', '__kwarg__']; // prettier-ignore
const WORDS = ['local', 'local_async', 'local_batch', 'local_subset', 'runner_async', 'test.ping', '*', 'compound', 'G@', '(', '\ud800', '\0', '-1', '1e999', 'x'.repeat(3000)]; // prettier-ignore

const world = useHttp();

const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constantFrom(...WORDS, null, true, -1, 0.5, 2 ** 60, {}),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 6 }),
  ),
})).node;
const lowstate = fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(fc.constantFrom(...WORDS), value), { maxKeys: 8 });
const json = fc.oneof(lowstate, fc.array(lowstate, { maxLength: 3 }), value).map((one) => JSON.stringify(one));
const body = fc.oneof(
  json,
  json.chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constant('&a: [*a, *a]'),
  fc.constant('['.repeat(20_000)),
  fc.constant('{"a":'.repeat(5000)),
  fc.constant('arg=1&'.repeat(3000)),
);
const request = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
  path: fc.oneof(
    fc.constantFrom(...PATHS),
    fc.constantFrom('/%', '/keys/%E0%A4%A', '/minions/%00', '//', '/hook/%0a', '/ws/x', '/jobs/..'),
  ),
  type: fc.constantFrom(...TYPES),
  accept: fc.constantFrom('application/json', '*/*', 'text/html', 'q=', 'application/x-yaml;q=0.1, */*;q=9'),
  token: fc.constantFrom('real', 'none', 'x', 'f'.repeat(40), 'f'.repeat(64)),
  body,
});

it(`no malformed request of ${String(COUNT)} is a defect, ends a gateway, or stays in its memory`, async () => {
  const bob = await world.tokenOf('bob');
  const gateway = () => world.cluster.processes().filter(({ name }) => name.startsWith('master-gateway'));
  const requests = fc.sample(request, { numRuns: COUNT, seed: 20_261_120 });
  const send = async (one: (typeof requests)[number]) => {
    const hasBody = one.method !== 'GET';
    const { status, text } = await world.ask(one.path, {
      method: one.method,
      headers: { Accept: one.accept, ...(hasBody ? { 'Content-Type': one.type } : {}) },
      ...(hasBody ? { body: one.body } : {}),
      ...(one.token === 'none' ? {} : { token: one.token === 'real' ? bob : one.token }),
    });
    // So much YAML of nobody is more than an address can pay.
    const isTooMuch = status === 503 && text.includes('too many requests');
    return status >= 500 && status !== 501 && !isTooMuch ? [{ status, text, one }] : [];
  };
  const warm = Math.floor(COUNT / 3);
  expect(await inTurns(requests.slice(0, warm), send)).toEqual([]);
  const before = gateway();
  expect(await inTurns(requests.slice(warm), send)).toEqual([]);
  const after = gateway();
  expect(after.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  // What stays, stays; what is only not collected yet goes.
  const grown = () => Math.max(...gateway().map(({ rss }, at) => rss - (before[at]?.rss ?? 0)));
  await until('the memory is given back', () => grown() < GROWTH_MB).catch(() => undefined);
  expect(grown()).toBeLessThan(GROWTH_MB);
  expect((await world.low(bob, { client: 'local', tgt: 'a', fun: 'test.ping' })).body).toEqual({
    return: [{ a: true }],
  });
}, 600_000);

it.each([
  ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
  ['a header without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', /^HTTP\/1\.1 400/],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400/],
  ['a body that is too long', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Auth-Token: x\r\nContent-Length: 9999999\r\n\r\n', /^HTTP\/1\.1 413/],
  ['an upgrade to nothing', 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', /^HTTP\/1\.1 404/],
  ['an upgrade without a session', 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', /^HTTP\/1\.1 401/],
])('%s is refused on the wire', async (_about, bytes, answer) => {
  expect(await onTheWire(bytes)).toMatch(answer);
}); // prettier-ignore

async function inTurns<T, R>(all: readonly T[], work: (one: T) => Promise<readonly R[]>): Promise<readonly R[]> {
  const found: R[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    found.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))).flat());
  }
  return found;
}

function onTheWire(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(world.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(text);
    });
  });
}
