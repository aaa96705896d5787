/** What a logger of ours keeps to itself. */
import { logOptions } from '@natrium/config';
import { pino } from 'pino';

function logged(what: object): string {
  const lines: string[] = [];
  pino(logOptions('info', { service: 'acl' }), { write: (line) => lines.push(line) }).info(what, 'it failed');
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
