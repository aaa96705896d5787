/** A certificate for a server on loopback, under an authority of its own: `ca.pem`, `server.pem` and `server.key` in a folder. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function makeCertificates(folder: string): void {
  const openssl = (...words: readonly string[]) => execFileSync('openssl', [...words], { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority');
  openssl('req', ...key.slice(0, -2), '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const sign = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...sign);
}
