/** A hostile gateway answers hello: it lies about the time, both ways, or about the cluster. Nobody's clock moves. */
import { Clock, hello } from '@natrium/bus';
import { decode, encode, rolesChainToWire, signTime, type SigningKey, type Wire } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { FakeClock } from '@natrium/testing';
import { contracts, readAs, subjectsOf, writeAs } from '@natrium/wire';
import { join } from 'node:path';
import { apps } from './apps.js';
import { WEB1, World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Here nobody but the gateway double answers hello; the word proves nothing about the cluster. */
const ELSEWHERE = 'elsewhere';
const subjects = subjectsOf(ELSEWHERE);
const HOUR_MS = 3_600_000;

interface Lie {
  readonly signer: SigningKey;
  readonly timeMs: number;
  /** Another nonce than the asker's: the time of an old answer. */
  readonly nonce?: Uint8Array;
  readonly master?: MasterKeys;
}

/** Answers every hello until it is stopped. */
function answering({ signer, timeMs, nonce, master = world.cluster.keys }: Lie): () => Promise<void> {
  const { transport, roles } = world.gateway.link;
  const listening = transport.subscribe(subjects.hello, ({ payload, reply }) => {
    const asked = readAs(contracts.helloQuestion, decode(payload));
    const [firstRoot, chain] = master.chain();
    const time = signTime(signer, roles.cluster, nonce ?? asked.nonce, timeMs);
    const answer = writeAs(contracts.helloAnswer, { version: 1, firstRoot, chain: [...chain], services: [], time });
    if (reply !== undefined) transport.publish(reply, encode(answer as Wire));
  });
  return () => listening.close();
}

async function greeted(lie: Lie): Promise<{ readonly code: string | undefined; readonly offsetMs: number }> {
  const stop = answering(lie);
  const { transport, roles } = world.gateway.link;
  await transport.flush();
  const clock = new Clock(30_000, new FakeClock(world.now).now);
  const pin = { firstRoot: roles.chain[0] };
  const answer = await hello(world.web1.link.transport, subjects, pin, clock, {
    minSerial: 0,
    newest: undefined,
    // A lie is listened past for so long.
    timeoutMs: 4000,
    inbox: undefined,
  });
  await stop();
  return { code: answer.ok ? undefined : answer.error.code, offsetMs: clock.offsetMs };
}

describe('the time', () => {
  it.each([HOUR_MS, -HOUR_MS])('is not moved by %i ms by the gateway; by the acl-service it is', async (byMs) => {
    const timeMs = world.now + byMs;
    const gateway = world.cluster.keys.roleKey('gateway');
    expect(await greeted({ signer: gateway, timeMs })).toEqual({ code: 'time_invalid', offsetMs: 0 });
    const { code, offsetMs } = await greeted({ signer: world.acl.key, timeMs });
    expect(code).toBeUndefined();
    expect(Math.abs(offsetMs - byMs)).toBeLessThan(10_000);
  });

  it('is not moved by an old answer of the acl-service; by a new one it is', async () => {
    const timeMs = world.now - HOUR_MS;
    const old = { signer: world.acl.key, timeMs, nonce: new Uint8Array(32) };
    expect(await greeted(old)).toEqual({ code: 'time_invalid', offsetMs: 0 });
    expect((await greeted({ signer: world.acl.key, timeMs })).offsetMs).toBeLessThan(-HOUR_MS + 10_000);
  });

  it('stays the host’s own while that is nearly right', async () => {
    expect(await greeted({ signer: world.acl.key, timeMs: world.now + 20_000 })).toEqual({
      code: undefined,
      offsetMs: 0,
    });
  });

  it('is refused by an agent that starts: it goes no further; told by the acl-service it does', async () => {
    const config = { ...world.cluster.minionConfig('late.example.com'), cluster: ELSEWHERE };
    const starting = async (lie: Lie) => {
      const stop = answering(lie);
      await world.gateway.link.transport.flush();
      const giveUp = new AbortController();
      const lines: string[] = [];
      const hear = (line: string) => {
        lines.push(line);
        // No acl-service is here to join: the clock's own line is as far as it comes.
        if (line.includes('the clock of this host is wrong')) giveUp.abort();
      };
      const ended: string = await apps.startAgent(config, hear, giveUp.signal).then(() => 'started', String);
      await stop();
      return { ended, moved: lines.some((line) => line.includes('"offsetMs"')) };
    };
    const timeMs = world.now + HOUR_MS;
    const lied = await starting({ signer: world.cluster.keys.roleKey('gateway'), timeMs });
    expect(lied.ended).toMatch(/^NoTrust: the time .* not signed by the acl-service/);
    expect(lied.moved).toBe(false);
    const told = await starting({ signer: world.acl.key, timeMs });
    expect(told.ended).not.toMatch('NoTrust');
    expect(told.moved).toBe(true);
  });
});

describe('the cluster', () => {
  it('is not another one because the gateway says so; the pinned one is accepted', async () => {
    const other = new MasterKeys(join(world.cluster.folder, 'other-pki'));
    other.create(world.now);
    const signer = other.roleKey('acl');
    const timeMs = world.now;
    expect(await greeted({ signer, timeMs, master: other })).toEqual({ code: 'wrong_pin', offsetMs: 0 });
    expect(await greeted({ signer: world.acl.key, timeMs })).toEqual({ code: undefined, offsetMs: 0 });
  });

  it('has no other keys because the gateway signs a roles document; those of the root count', async () => {
    const { document, chain } = world.gateway.link.roles;
    expect(rolesChainToWire(chain)).toHaveLength(2);
    expect(document.roles.acl).toEqual([world.acl.key.publicKey]);
    expect(world.web1.link.roles.keysOf('acl')).toEqual([world.acl.key.publicKey]);
    expect(world.cluster.minion(WEB1).link.clock.offsetMs).toBe(0);
  });
});
