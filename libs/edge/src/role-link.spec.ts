/**
 * Rules of a service on the bus as time passes: before it renews its announcement it asks for the time again, and it tells when the
 * roles document has ended. An acl-service does not begin with one that has.
 */
import { jest } from '@jest/globals';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NatsTransport } from '@natrium/bus';
import { decode, encode, signTime, sodiumReady, type Wire } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { contracts, readAs, writeAs } from '@natrium/wire';
import { pino } from 'pino';
import { RoleLink } from './role-link.js';

const AN_HOUR = 3_600_000;
const TWO_YEARS = 2 * 365 * 24 * AN_HOUR;
const rightNow = Date.now;

let folder: string;
let keys: MasterKeys;
let broker: Broker;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
});
afterAll(() => broker.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-role-link-'));
  keys = new MasterKeys(join(folder, 'pki'));
  keys.create(rightNow());
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const lines: string[] = [];
const open = (role: 'gateway' | 'acl' | 'runner', onUnopened: (reason: string) => void = () => undefined) =>
  RoleLink.open({
    onUnopened,
    ...{ role, servers: [broker.url], cluster: 'main', pkiDir: keys.folder, cacheDir: folder },
    ...{ epochMs: AN_HOUR, overlapMs: 0, skewMs: 30_000, replicas: 1 },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });

/** Whoever has the key of the acl role answers hello. */
async function anAcl() {
  const transport = await NatsTransport.connect({ servers: [broker.url], name: 'acl' });
  const said = { aheadMs: 0, answers: 0 };
  const [[firstRoot, chain], { cluster }, key] = [keys.chain(), keys.roles(), keys.roleKey('acl')];
  transport.subscribe('nt.main.hello', ({ payload, respond }) => {
    said.answers += 1;
    const { nonce } = readAs(contracts.helloQuestion, decode(payload));
    const time = signTime(key, cluster, nonce, rightNow() + said.aheadMs);
    const answer = { version: 1 as const, firstRoot, chain: [...chain], services: [], time };
    respond(encode(writeAs(contracts.helloAnswer, answer) as Wire));
  });
  await transport.flush();
  return { said, transport };
}

it('asks for the time again before it renews its announcement, whose clock ever was set, and tells the end of the document', async () => {
  const { said, transport } = await anAcl();
  let setMs = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => rightNow() + setMs);
  const link = await open('gateway');
  const timers = jest.spyOn(globalThis, 'setInterval');
  await link.announce();
  const renew = timers.mock.calls.find(([, ms]) => ms === 300_000)?.[0];
  const renewed = async () => {
    const told = new Promise((resolve) => {
      transport.subscribe('nt.main.dir.gateway', resolve);
    });
    await transport.flush();
    renew?.();
    await told;
    return [said.answers, Math.round(link.clock.offsetMs / AN_HOUR)];
  };
  expect(await renewed()).toEqual([2, 0]);
  setMs = AN_HOUR;
  expect(await renewed()).toEqual([3, -1]);
  said.aheadMs = AN_HOUR;
  expect(await renewed()).toEqual([4, 0]);
  said.aheadMs = 0;
  expect(await renewed()).toEqual([5, -1]);
  expect(lines.filter((line) => line.includes('ended'))).toEqual([]);
  said.aheadMs = TWO_YEARS + AN_HOUR;
  setMs = 0;
  await renewed();
  expect(lines.at(-1)).toMatch(/"level":50.*the roles document 1 ended at .*natriumctl roles renew/);
  await link.close();
  await transport.drain();
});

it.each([
  ['gateway', -AN_HOUR, true],
  ['gateway', -31_000, true],
  ['gateway', -29_000, false],
  ['gateway', AN_HOUR, false],
  ['acl', -AN_HOUR, true],
  ['acl', -29_000, false],
] as const)(
  'opens nothing that was sealed before the time went back by more than clocks may differ: %s, by %i ms: %s',
  async (role, byMs, isForgotten) => {
    const { said, transport } = await anAcl();
    let ownMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => rightNow() + ownMs);
    // The acl-service's own clock is the time; a gateway follows it, whatever its own says.
    const setTo = (ms: number) => {
      said.aheadMs = ms;
      if (role === 'acl') ownMs = ms;
    };
    setTo(2 * AN_HOUR);
    const link = await open(role);
    const timers = jest.spyOn(globalThis, 'setInterval');
    await link.announce();
    const [first, before] = [link.own.keyring.currentKeyId, link.own.announced];
    setTo(2 * AN_HOUR + byMs);
    const told = new Promise((resolve) => {
      transport.subscribe(`nt.main.dir.${role}`, resolve);
    });
    await transport.flush();
    timers.mock.calls.find(([, ms]) => ms === 300_000)?.[0]();
    await told;
    expect(link.own.announced).not.toBe(before);
    expect(link.own.keyring.byKeyId(first) === undefined).toBe(isForgotten);
    await link.close();
    await transport.drain();
  },
);

it('a flood of what it cannot open is one line of its log, and each is counted', async () => {
  const { transport } = await anAcl();
  let counted = 0;
  const link = await open('gateway', () => (counted += 1));
  link.bus.serve('nt.main.join', undefined, [contracts.join], () => undefined);
  await link.transport.flush();
  for (let n = 0; n < 500; n += 1) transport.publish('nt.main.join', Buffer.from('junk'));
  await transport.flush();
  await link.transport.flush();
  expect([counted, lines.filter((line) => line.includes('not opened')).length]).toEqual([500, 1]);
  await link.close();
  await transport.drain();
});

it('what its sender mends by himself, as when he asks a second replica, is counted by itself and not as a forgery', async () => {
  const { transport } = await anAcl();
  const reasons: string[] = [];
  const [first, second] = [await open('gateway'), await open('gateway', (reason) => reasons.push(reason))];
  const runner = await open('runner');
  const ask = async (of: RoleLink) => {
    const listening = of.bus.serve('nt.main.kept', undefined, [contracts.kept], (asked) => {
      asked.answer(contracts.keeps, { kept: [] });
    });
    await of.announce();
    await of.transport.flush();
    // Nobody, until the runner-service has heard of that one too.
    const to = () => {
      const known = runner.directory.role('gateway');
      return known.some(({ owner }) => owner.type === 'role' && owner.instance === of.own.instance) ? known : [];
    };
    const question = { contract: contracts.kept, body: { jids: [] }, subject: 'nt.main.kept', to, backMs: 5000 };
    const { ok } = await runner.bus.ask(question, contracts.keeps, 5000);
    await listening.close();
    return ok;
  };
  expect(await ask(first)).toBe(true);
  expect(await ask(second)).toBe(true);
  expect(reasons).toEqual(['asked_again']);
  second.bus.serve('nt.main.junk', undefined, [contracts.kept], () => undefined);
  await second.transport.flush();
  transport.publish('nt.main.junk', Buffer.from('junk'));
  await transport.flush();
  await second.transport.flush();
  expect(reasons).toEqual(['asked_again', 'shape']);
  for (const link of [first, second, runner]) await link.close();
  await transport.drain();
});

it('does not begin with a key that the document does not name: an acl-service before it asks for anything, another after it has heard of the newest', async () => {
  const { said, transport } = await anAcl();
  const other = new MasterKeys(join(folder, 'other'));
  other.create(rightNow());
  for (const role of ['acl', 'gateway'] as const) {
    copyFileSync(other.rolePath(role), keys.rolePath(role));
    await expect(open(role)).rejects.toThrow(`${keys.rolePath(role)}: the roles document 1 does not name this key`);
    expect(said.answers).toBe(role === 'acl' ? 0 : 1);
  }
  await transport.drain();
});

it('an acl-service does not begin with a document that has ended; with one that counts it goes on to its key', async () => {
  rmSync(keys.rolePath('acl'));
  await expect(open('acl')).rejects.toThrow(keys.rolePath('acl'));
  jest.spyOn(Date, 'now').mockImplementation(() => rightNow() + TWO_YEARS + AN_HOUR);
  await expect(open('acl')).rejects.toThrow(`${keys.rolesPath}: the roles document 1 ended at`);
});

it('one whose start fails once it is connected leaves no connection behind', async () => {
  const connecting = jest.spyOn(NatsTransport, 'connect');
  const opening = RoleLink.open({
    ...{ role: 'acl', servers: [broker.url], cluster: 'main', pkiDir: keys.folder, cacheDir: folder },
    ...{ epochMs: AN_HOUR, overlapMs: 0, skewMs: 30_000, replicas: 1, log: pino({ enabled: false }) },
    openTracing: () => Promise.reject(new Error('nowhere to trace to')),
  });
  await expect(opening).rejects.toThrow('nowhere to trace to');
  const [transport] = await Promise.all(connecting.mock.results.map(({ value }) => value as Promise<NatsTransport>));
  expect(transport?.connection.isClosed()).toBe(true);
});
