/**
 * A private CA for the broker and the broker's certificate, made with the host's `openssl`.
 *
 * The CA's key signs one certificate at a time and is of use only to make the next. A run that is killed leaves what the next one
 * completes or makes anew.
 */
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeWhole } from '@natrium/keystore';
import { codeOf } from '@natrium/model';

const run = promisify(execFile);
const READABLE = 0o644;
const OWNER_ONLY = 0o600;
const CA_DAYS = '3650';
const SERVER_DAYS = '825';
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** The first of these that is no name and no address of a host. */
export function wrongHost(hosts: readonly string[]): string | undefined {
  return hosts.find((host) => isIP(host) === 0 && !HOST.test(host));
}

/**
 * Makes `ca.crt`, `ca.key`, `server.crt` and `server.key`; where there is a CA, the last two anew under it.
 *
 * @param hosts Names and addresses that the broker is reached under; none of them is wrong.
 * @throws {Error} When the CA's key is not there, or there is no `openssl`.
 */
export async function makeBrokerTls(folder: string, hosts: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const [ca, key, server] = [join(folder, 'ca.crt'), join(folder, 'ca.key'), join(folder, 'server.crt')];
  const [missing, ...others] = [ca, key].filter((path) => !existsSync(path));
  // A key that has signed nothing is of a first run that was killed.
  const isBegun = missing === ca && !existsSync(server);
  if (missing !== undefined && others.length === 0 && !isBegun)
    throw new Error(`${missing} is not there: put it back for as long as the next certificate is made`);
  if (missing !== undefined) await makeCa(ca, key);
  await makeServer(folder, hosts);
}

/** Tells whether both are there and belong together: nats-server ends at once with a key that is another certificate's. */
export function isPair(certificate: string, key: string): boolean {
  if (!existsSync(certificate) || !existsSync(key)) return false;
  const [certificateText, keyText] = [readFileSync(certificate), readFileSync(key)];
  try {
    return new X509Certificate(certificateText).checkPrivateKey(createPrivateKey(keyText));
  } catch {
    return false; // one of them is no such thing, as a full disk leaves it
  }
}

async function makeCa(ca: string, key: string): Promise<void> {
  if (!existsSync(key)) await makeKey(key);
  const made = await openssl(
    ...['req', '-x509', '-new', '-key', key, '-days', CA_DAYS, '-subj', '/CN=Natrium broker CA'],
    ...['-addext', 'basicConstraints=critical,CA:TRUE,pathlen:0', '-addext', 'keyUsage=critical,keyCertSign'],
  );
  writeWhole(ca, made, READABLE);
}

/** What is in force stays until the last step, which takes both: a broker that starts between the two finds no pair. */
async function makeServer(folder: string, hosts: readonly string[]): Promise<void> {
  const at = (name: string) => join(folder, name);
  await makeKey(at('next.key'));
  const names = hosts.map((host) => (isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`)).join(',');
  writeWhole(at('next.csr'), await openssl('req', '-new', '-key', at('next.key'), '-subj', '/CN=broker'), READABLE);
  const extensions = `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\n`;
  writeWhole(at('next.ext'), extensions, READABLE);
  const server = await openssl(
    ...['x509', '-req', '-in', at('next.csr'), '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial'],
    ...['-days', SERVER_DAYS, '-extfile', at('next.ext')],
  );
  writeWhole(at('next.crt'), server, READABLE);
  renameSync(at('next.key'), at('server.key'));
  renameSync(at('next.crt'), at('server.crt'));
  for (const name of ['next.csr', 'next.ext', 'ca.srl']) rmSync(at(name), { force: true });
}

async function makeKey(path: string): Promise<void> {
  const made = await openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256');
  writeWhole(path, made, OWNER_ONLY);
}

async function openssl(...words: readonly string[]): Promise<string> {
  try {
    return (await run('openssl', [...words])).stdout;
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new Error('making certificates needs openssl, and it is not on this host', { cause: error });
    throw error;
  }
}
