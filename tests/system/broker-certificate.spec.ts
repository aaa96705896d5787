/** The broker's certificate, which needs the host's openssl: the first, the next under the same CA, and the warning before it ends. */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCertificates } from '../../apps/cli/src/doctor/host-checks.js';
import { runInit } from '../../apps/cli/src/init/init.js';
import { ScriptedIo } from '../../apps/cli/src/testing/scripted-io.js';

const DAY_MS = 86_400_000;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-certificate-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const at = (name: string) => join(dir, 'pki', 'broker', 'tls', name);
const certificate = (name: string) => new X509Certificate(readFileSync(at(name)));

async function init(...brokerTls: readonly string[]) {
  const io = new ScriptedIo();
  const exit = await runInit({ configDir: dir, brokerTls }, io);
  return { exit, out: io.stdout, err: io.stderr };
}

describe('natriumctl init --broker-tls in a cluster that is there', () => {
  it('makes the next certificate under the same CA, for the hosts that are named', async () => {
    expect((await init('broker.example.com')).exit).toBe(0);
    const [ca, first, key] = [certificate('ca.crt'), certificate('server.crt'), readFileSync(at('server.key'))];
    const { exit, out } = await init('broker.example.com', '10.0.0.5');
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining('need nothing new') as string });
    const next = certificate('server.crt');
    expect(certificate('ca.crt').fingerprint256).toBe(ca.fingerprint256);
    expect(next.serialNumber).not.toBe(first.serialNumber);
    expect(readFileSync(at('server.key')).equals(key)).toBe(false);
    expect([next.verify(ca.publicKey), next.checkHost('broker.example.com'), next.checkIP('10.0.0.5')]).toEqual([
      true,
      'broker.example.com',
      '10.0.0.5',
    ]);
    expect(existsSync(at('next.key'))).toBe(false);
  });

  it('makes a CA where there is none yet', async () => {
    expect((await init()).exit).toBe(0);
    expect(await init('localhost')).toMatchObject({ exit: 0, out: expect.stringContaining('Its CA is new') as string });
    expect(certificate('server.crt').verify(certificate('ca.crt').publicKey)).toBe(true);
  });

  it('changes nothing while the CA’s key lies elsewhere, nor for what is no host', async () => {
    await init('localhost');
    const before = certificate('server.crt').fingerprint256;
    expect((await init('not a host')).exit).toBe(78);
    for (const name of ['ca.key', 'ca.crt']) {
      renameSync(at(name), at('elsewhere'));
      expect(await init('localhost')).toMatchObject({
        exit: 78,
        err: expect.stringContaining('put it back') as string,
      });
      renameSync(at('elsewhere'), at(name));
    }
    expect(certificate('server.crt').fingerprint256).toBe(before);
    expect((await init()).exit).toBe(1);
  });

  it('founds no other cluster over what was put back in part', async () => {
    await init('localhost');
    const key = readFileSync(at('ca.key'));
    rmSync(join(dir, 'pki', 'roles'));
    expect((await init('localhost')).exit).toBe(78);
    expect(readFileSync(at('ca.key')).equals(key)).toBe(true);
    expect(existsSync(join(dir, 'pki', 'roles'))).toBe(false);
  });
});

it('natriumctl doctor warns before one ends, says when it has ended, and nothing where there is none', async () => {
  const pki = join(dir, 'pki');
  const said = (days: number) =>
    checkCertificates({ pki_dir: pki }, Date.now() + days * DAY_MS).map(({ level, check }) => `${level} ${check}`);
  await init();
  expect(said(0)).toEqual([]);
  await init('localhost');
  expect(said(0)).toEqual(['ok certificates', 'ok certificates']);
  expect(said(740)).toEqual(['warning certificates', 'ok certificates']);
  expect(said(826)).toEqual(['problem certificates', 'ok certificates']);
  expect(said(3651)).toEqual(['problem certificates', 'problem certificates']);
});
