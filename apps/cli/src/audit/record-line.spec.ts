import type { AuditRecord } from '@natrium/envelope';
import { recordJson, recordLine } from './record-line.js';

const RECORD: AuditRecord = {
  chain: 'a1b2',
  number: 17,
  previous: new Uint8Array(32),
  heads: [],
  time: 1_700_000_000_000,
  what: 'refuse',
  caller: { kind: 'account', name: 'fred' },
  digest: null,
  jid: null,
  verdict: 'not_permitted',
  rule: null,
  detail: { funs: ['test.ping'], target: 'web*' },
};
/** Clears the screen, by one control and by two; then a line of its own, and text from right to left. */
const HOSTILE = '\u009b2J\u001b[2J\nall is well\u202e';

describe('a record of the audit', () => {
  it('is one line for people, and one object for programs', () => {
    expect(recordLine(RECORD)).toBe(
      '2023-11-14T22:13:20.000Z  refuse  not_permitted  account fred  test.ping on web*  -  [a1b2 17]',
    );
    expect(JSON.parse(recordJson(RECORD))).toMatchObject({ number: 17, detail: { target: 'web*' } });
  });

  it('names those whose keys were changed, and not those whose were left as they are', () => {
    const keys = [{ change: 'delete', id: 'web1', fingerprint: '00' }, { change: 'delete', id: 'web2', fingerprint: '01' }]; // prettier-ignore
    const detail = { fun: 'key.delete', args: [], keys, refused: [{ id: 'web3', code: 'not_found' }], complete: false };
    expect(recordLine({ ...RECORD, what: 'key', verdict: 'allow', detail })).toContain('  key.delete web1,web2  -  ');
    expect(recordLine({ ...RECORD, detail: { ...detail, keys: [] } })).toContain('  key.delete  -  ');
  });

  it('names those whose tokens were ended, whatever the request called them by', () => {
    const detail = { fun: 'token.revoke', args: [{ id: '5d0c4a1b9e77' }], users: ['file/bob', 'ldap/bob'] };
    expect(recordLine({ ...RECORD, what: 'key', verdict: 'allow', detail })).toContain(
      '  token.revoke file/bob,ldap/bob  -  ',
    );
    expect(recordLine({ ...RECORD, detail: { ...detail, users: [] } })).toContain('  token.revoke  -  ');
  });

  it.each<readonly [string, AuditRecord['detail'], string]>([
    ['a login', { eauth: 'file', user: 'bob', address: '192.0.2.1', about: 'e1' }, 'file/bob from 192.0.2.1'],
    ['a login from nowhere', { eauth: 'file', user: 'bob', address: '', about: '' }, 'file/bob'],
    ['an event that was refused', { event: 'salt/job/1', count: 2 }, 'event salt/job/1'],
    ['a reading that was refused', { read: 'mine', tgt_type: 'pillar' }, 'read mine'],
    ['a policy', { policy: 'ab12' }, 'ab12'],
    ['nothing that is known', { fingerprint: '00' }, '-'],
  ])('says what it is about: %s', (_, detail, about) => {
    const record = { ...RECORD, caller: null, what: 'x', verdict: 'refuse', detail };
    expect(recordLine(record)).toBe(`2023-11-14T22:13:20.000Z  x  refuse  -  ${about}  -  [a1b2 17]`);
  });

  it.each([
    ['target', { funs: ['test.ping'], target: HOSTILE }],
    ['function', { funs: [HOSTILE], target: '*' }],
    ['id', { id: HOSTILE }],
    ['id of a key', { fun: 'key.delete', keys: [{ id: HOSTILE }] }],
    ['user of a token', { fun: 'token.revoke', users: [HOSTILE] }],
    ['user of a login', { eauth: 'file', user: HOSTILE }],
  ])('shows no control of the %s that a caller sent to the terminal', (_, detail) => {
    const record = { ...RECORD, detail };
    expect(recordLine(record)).not.toMatch(/\p{Cc}|\u202e/u);
    expect(recordLine(record)).toContain('?2J?[2J?all is well?');
    expect(recordJson(record)).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(recordJson(record))).toMatchObject({ detail });
  });
});
