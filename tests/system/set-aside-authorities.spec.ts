/**
 * Rules of whom programs trust beside the host's list, `NODE_EXTRA_CA_CERTS`: Node 20 reads it at each start, so the commands and whoever
 * starts our programs set it aside, and a program reads it for the first connection that goes by that list.
 */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { Child } from '../../apps/cli/src/up/child.js';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { makeCertificates } from './certificates.js';

/** Says how `fetch`, TLS by itself and TLS with a list of its own end; and what a program that it starts is given. */
const PROGRAM = `
const tls = require('node:tls');
const dial = (options) => new Promise((resolve) => {
  const socket = tls.connect({ port: Number(process.env.PORT), host: 'localhost', ...options }, () => { resolve('trusted'); socket.destroy(); });
  socket.on('error', (error) => resolve(error.code));
});
const ask = () => fetch('https://localhost:' + process.env.PORT).then(() => 'trusted', (error) => error.cause.code);
exports.ended = (async () => {
  const said = { fetch: await ask(), dial: await dial({}), own: await dial({ ca: [tls.rootCertificates[0]] }) };
  const child = require('node:child_process').execFileSync('/usr/bin/env').toString();
  console.log(JSON.stringify({ ...said, given: child.match(/^\\w+_EXTRA_CA_CERTS=.*$/gm) ?? [] }));
})();
`;

let folder: string;
let server: Server;
let env: { readonly PORT: string; readonly NODE_EXTRA_CA_CERTS: undefined };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-authorities-'));
  makeCertificates(folder);
  mkdirSync(join(folder, 'others'));
  makeCertificates(join(folder, 'others'));
  copyFileSync(inRoot('tools/start-program.cjs'), join(folder, 'start-program.cjs'));
  writeFileSync(join(folder, 'asking.cjs'), PROGRAM);
  const read = (name: string) => readFileSync(join(folder, name));
  server = createServer({ cert: read('server.pem'), key: read('server.key') }, (_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  env = { PORT: String((server.address() as AddressInfo).port), NODE_EXTRA_CA_CERTS: undefined };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function asking(aside: string | undefined, more: Readonly<Record<string, string>> = {}) {
  const start = `require(${JSON.stringify(join(folder, 'start-program.cjs'))}).startProgram('asking')`;
  const given = { ...env, ...more, NATRIUM_EXTRA_CA_CERTS: aside };
  const run = await runProgram(process.execPath, ['-e', start], { env: given });
  return { ...(JSON.parse(run.stdout) as object), stderr: run.stderr };
}

const UNKNOWN = expect.stringMatching(/^(UNABLE_TO|SELF_SIGNED)/) as string;

it('what was set aside is trusted where the host’s list counts, and what is started finds the variable as it was', async () => {
  const file = join(folder, 'ca.pem');
  const given = [`NODE_EXTRA_CA_CERTS=${file}`];
  expect(await asking(file)).toEqual({ fetch: 'trusted', dial: 'trusted', own: UNKNOWN, given, stderr: '' });
});

/** By which the host's list is another than Node's own; Node 20 does not know the second. */
const LISTS = ['--use-openssl-ca', '--use-system-ca'].filter((one) => process.allowedNodeEnvironmentFlags.has(one));

describe.each(LISTS)('with %s, the list is what SSL_CERT_FILE names:', (NODE_OPTIONS) => {
  const [theServers, another] = ['ca.pem', 'others/ca.pem'];
  const trusted = { fetch: 'trusted', dial: 'trusted', own: UNKNOWN, stderr: '' };
  const refused = { ...trusted, fetch: UNKNOWN, dial: UNKNOWN };

  it.each([
    [theServers, another, trusted],
    [another, theServers, trusted],
    [another, another, refused],
  ])('%s is in it, %s was set aside', async (listed, aside, said) => {
    const more = { NODE_OPTIONS, SSL_CERT_FILE: join(folder, listed) };
    expect(await asking(join(folder, aside), more)).toMatchObject(said);
  });
});

it('without it nobody else is trusted', async () => {
  expect(await asking(undefined)).toEqual({ fetch: UNKNOWN, dial: UNKNOWN, own: UNKNOWN, given: [], stderr: '' });
});

it('a file that cannot be read is named, and the host’s list counts', async () => {
  const file = join(folder, 'none.pem');
  const said = { fetch: UNKNOWN, dial: UNKNOWN, own: UNKNOWN, given: [`NODE_EXTRA_CA_CERTS=${file}`] };
  const stderr = expect.stringMatching(/Warning: Ignoring extra certs from `.*none\.pem`: ENOENT/) as string;
  expect(await asking(file)).toEqual({ ...said, stderr });
});

it('a command asks Node for nothing of it before it needs it', async () => {
  // Node 20 itself warns of a file that it cannot read, at its start.
  const run = await runProgram(inRoot('bin/natrium'), ['--version'], { env: { NODE_EXTRA_CA_CERTS: '/none.pem' } });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^natrium \d/) as string, stderr: '' });
});

it('nor does what `npm run` starts', async () => {
  const words = [inRoot('tools/bootstrap.mjs'), 'conformance', inRoot('compat/cases/nodegroup.jsonl')];
  const run = await runProgram(process.execPath, words, { env: { NODE_EXTRA_CA_CERTS: '/none.pem' } });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^43 passed, 0 failed$/m) as string });
  // The first is of the Node that npm itself was started with.
  const asStarted = process.version.startsWith('v20.') ? 1 : 0;
  expect(run.stderr.match(/Ignoring extra certs/g) ?? []).toHaveLength(asStarted);
});

it('what `natriumctl up` starts has it set aside', async () => {
  const before = process.env['NODE_EXTRA_CA_CERTS'];
  process.env['NODE_EXTRA_CA_CERTS'] = '/some.pem';
  try {
    const lines: string[] = [];
    const program = { name: 'env', file: '/usr/bin/env', args: [], saysReady: false };
    await new Child(program, (line) => lines.push(line)).ended;
    await until('its environment', () => lines.some((line) => line.startsWith('NATRIUM_SUPERVISED')));
    expect(lines.filter((line) => line.includes('EXTRA_CA'))).toEqual(['NATRIUM_EXTRA_CA_CERTS=/some.pem']);
  } finally {
    if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
    else process.env['NODE_EXTRA_CA_CERTS'] = before;
  }
});
