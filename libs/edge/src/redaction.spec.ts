/** What a logger of ours keeps to itself. */
import { logOptions } from '@natrium/config';
import { pino } from 'pino';

function logged(what: object): string {
  const lines: string[] = [];
  pino(logOptions('info', { service: 'acl' }, pino.stdSerializers.err), { write: (line) => lines.push(line) }).info(
    what,
    'it failed',
  );
  return lines.join('');
}

it.each([
  ['a field', { token: 'hidden' }],
  ['a field of a field', { login: { username: 'fred', password: 'hidden' } }],
  ['a header', { request: { headers: { authorization: 'hidden', 'x-auth-token': 'hidden' } } }],
  ['what an error carries', { err: Object.assign(new Error('no answer'), { config: { secret: 'hidden' } }) }],
])('a secret in %s is not logged', (_about, what) => {
  const line = logged(what);
  expect(line).not.toContain('hidden');
  expect(line).toContain('[redacted]');
});

it('what is called otherwise is', () => {
  expect(JSON.parse(logged({ jid: '1', party: { id: 'web1' } }))).toMatchObject({
    service: 'acl',
    jid: '1',
    party: { id: 'web1' },
    msg: 'it failed',
  });
});

describe('the type of an error', () => {
  // As a minifier leaves them.
  const a = class extends Error {
    override readonly name = 'KeyfileCorrupt';
  };
  const b = class LibraryError extends Error {};

  it.each([
    ['is the name that it has', new a('no key'), 'KeyfileCorrupt'],
    ['is that of its class where it has none', new b('no answer'), 'LibraryError'],
    ['is Error where neither has one', new Error('no'), 'Error'],
  ])('%s', (_what, err, type) => {
    expect(JSON.parse(logged({ err }))).toMatchObject({ err: { type, message: err.message } });
  });

  it('is of no concern where what was thrown is none', () => {
    expect(JSON.parse(logged({ err: 'no' }))).toMatchObject({ err: 'no' });
    expect(JSON.parse(logged({ err: undefined }))).toMatchObject({ msg: 'it failed' });
  });
});
