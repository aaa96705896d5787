/** The files of TLS that no connection can be made with, told before one is tried. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { brokerTlsProblem } from './broker-tls.js';
import { problemSentence } from './problem.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-broker-tls-'));
  writeFileSync(join(dir, 'good.crt'), rootCertificates[0] ?? '');
  writeFileSync(join(dir, 'bad.crt'), 'secret words\n');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function said(files: Readonly<Record<string, string>>): string | undefined {
  const none = { broker_ca: '', broker_cert: '', broker_key: '' };
  const config = { ...none, ...Object.fromEntries(Object.entries(files).map(([key, name]) => [key, join(dir, name)])) };
  const problem = brokerTlsProblem(config);
  return problem && problemSentence(problem).replace(`${dir}/`, '');
}

it('are none, or can be read', () => {
  expect(said({})).toBeUndefined();
  expect(said({ broker_ca: 'good.crt', broker_cert: 'good.crt', broker_key: 'bad.crt' })).toBeUndefined();
});

it.each([
  [{ broker_ca: 'none.crt' }, 'none.crt: broker_ca: cannot read the file (ENOENT)'],
  [{ broker_ca: '.' }, ': broker_ca: cannot read the file (EISDIR)'],
  [{ broker_ca: 'bad.crt' }, 'bad.crt: broker_ca: this is no certificate in PEM'],
  [{ broker_ca: 'good.crt', broker_cert: 'bad.crt' }, 'bad.crt: broker_cert: this is no certificate in PEM'],
  [{ broker_cert: 'good.crt', broker_key: 'none.key' }, 'none.key: broker_key: cannot read the file (ENOENT)'],
])('%j', (files, reason) => {
  expect(said(files)).toMatch(`${reason}. Mend: put it there, for this account to read, or name another.`);
  expect(said(files)).not.toContain('secret');
});
