/** The broker's certificate, which needs the host's openssl: the first, the next under the same CA, and the warning before it ends. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { checkCertificates, checkServed } from '../../apps/cli/src/doctor/host-checks.js';
import { servedCertificates } from '../../apps/cli/src/doctor/served-certificates.js';
import { runFingerprint } from '../../apps/cli/src/init/fingerprint.js';
import { runInit } from '../../apps/cli/src/init/init.js';
import { ScriptedIo } from '../../apps/cli/src/testing/scripted-io.js';
import { certify } from '../../apps/cli/src/up/folders.js';

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

describe('natriumctl init --broker-tls of a new cluster', () => {
  it('names its fingerprint also where the certificate cannot be made, and makes it when run again', async () => {
    // An address to Node, and none that a certificate can name.
    const { exit, out, err } = await init('fe80::1%eth0');
    expect({ exit, err }).toEqual({ exit: 78, err: expect.stringMatching(/^natriumctl: error: .*openssl/) as string });
    const io = new ScriptedIo();
    expect(await runFingerprint({ configDir: dir }, io)).toBe(0);
    expect(out).toContain(io.stdout.trim());
    expect(await init('localhost')).toMatchObject({ exit: 0, err: '' });
  });

  it('warns as without it where the master file has the broker ask nobody', async () => {
    writeFileSync(join(dir, 'master'), 'log_level: info\n');
    const err = 'natriumctl: warning: the broker asks nobody who they are: set "broker_auth: jwt" in';
    expect(await init('localhost')).toMatchObject({ exit: 0, err: `${err} ${join(dir, 'master')}\n` });
  });
});

it('natriumctl up --tls of a cluster that was begun without makes a certificate, once', async () => {
  expect((await init()).exit).toBe(0);
  await certify(dir);
  const first = certificate('server.crt').fingerprint256;
  await certify(dir);
  expect(certificate('server.crt').fingerprint256).toBe(first);
});

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
    await expect(init('not a host')).rejects.toThrow('is no name or address of a host');
    for (const name of ['ca.key', 'ca.crt']) {
      renameSync(at(name), at('elsewhere'));
      expect(await init('localhost')).toMatchObject({
        exit: 78,
        err: expect.stringContaining('put it back') as string,
      });
      renameSync(at('elsewhere'), at(name));
    }
    expect(certificate('server.crt').fingerprint256).toBe(before);
    expect((await init()).exit).toBe(0);
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

it('natriumctl doctor warns before one ends, calls the last two weeks a problem, says when it has ended, and nothing where there is none', async () => {
  const pki = join(dir, 'pki');
  const said = (days: number) =>
    checkCertificates({ pki_dir: pki }, Date.now() + days * DAY_MS).map(({ level, check }) => `${level} ${check}`);
  await init();
  expect(said(0)).toEqual([]);
  await init('localhost');
  expect(said(0)).toEqual(['ok certificates', 'ok certificates']);
  expect(said(740)).toEqual(['warning certificates', 'ok certificates']);
  expect(said(812)).toEqual(['problem certificates', 'ok certificates']);
  expect(said(826)).toEqual(['problem certificates', 'ok certificates']);
  expect(said(3651)).toEqual(['problem certificates', 'problem certificates']);
});

describe('what the nodes of the broker show', () => {
  const nodes: Server[] = [];
  afterEach(() => {
    for (const node of nodes.splice(0)) node.close();
  });

  /** As nats-server begins: a line in clear, and then TLS with what it has read at its start. @returns Its port. */
  async function aNode(greets = true): Promise<number> {
    const secureContext = createSecureContext({
      key: readFileSync(at('server.key')),
      cert: readFileSync(at('server.crt')),
    });
    const node = createServer((socket) => {
      socket.on('error', () => undefined);
      if (!greets) return;
      socket.write('INFO {"tls_required":true}\r\n');
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined);
    });
    nodes.push(node.listen(0, '127.0.0.1'));
    await once(node, 'listening');
    return (node.address() as AddressInfo).port;
  }

  const config = (nats: readonly string[], ca = at('ca.crt')) => ({
    nats,
    broker_ca: ca,
    broker_cert: '',
    broker_key: '',
  });
  const levels = async (nats: readonly string[], days: number, ca?: string) =>
    checkServed(await servedCertificates(config(nats, ca)), Date.now() + days * DAY_MS).map(({ level }) => level);

  it('counts, whatever is in the file: until it has read that, it shows the one before', async () => {
    await init('localhost');
    const before = certificate('server.crt');
    const nats = [`nats://me:secret@127.0.0.1:${String(await aNode())}`];
    await init('localhost');
    expect(certificate('server.crt').serialNumber).not.toBe(before.serialNumber);
    const [served] = await servedCertificates(config(nats));
    expect(served?.validity?.to).toBe(Date.parse(before.validTo));
    expect(served?.node).not.toContain('secret');
    expect([await levels(nats, 0), await levels(nats, 740), await levels(nats, 826)]).toEqual([
      ['ok'],
      ['warning'],
      ['problem'],
    ]);
  });

  it('is looked at on each node where one address asks for TLS, also where one is not there, and nowhere without TLS', async () => {
    await init('localhost');
    const port = String(await aNode());
    expect(await levels([`tls://127.0.0.1:${port}`, 'tls://127.0.0.1:1', `nats://127.0.0.1:${port}`], 0, '')).toEqual([
      'ok',
      'warning',
      'ok',
    ]);
    expect(await levels([`nats://127.0.0.1:${port}`], 0, '')).toEqual([]);
  });

  it('cannot be seen where a node says nothing', async () => {
    await init('localhost');
    const [served] = await servedCertificates(config([`tls://127.0.0.1:${String(await aNode(false))}`]));
    expect(served).toMatchObject({ validity: undefined, why: 'it says nothing' });
  });

  it('cannot be seen where a node goes on in clear, and that is said in words', async () => {
    await init('localhost');
    const node = createServer((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.end("-ERR 'Parser Error'\r\n"));
      socket.write('INFO {}\r\n');
    });
    nodes.push(node.listen(0, '127.0.0.1'));
    await once(node, 'listening');
    const port = String((node.address() as AddressInfo).port);
    const [served] = await servedCertificates(config([`tls://127.0.0.1:${port}`]));
    expect(served).toMatchObject({ validity: undefined, why: 'it offers no TLS' });
  });
});
