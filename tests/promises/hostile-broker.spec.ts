/**
 * A hostile broker: it hands one question to every replica, swaps answers and stored values, and replays what it has. It can
 * delay and withhold, which is the stated limit; it cannot make anything else true.
 */
import { openBucket } from '@natrium/bus';
import { encodeStaleKey, fp, type Signed } from '@natrium/envelope';
import { until } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import { World } from '../hostile/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.cluster.addAcl();
});
afterAll(() => world.stop());

describe('promise 6, hostile broker: one question to both replicas', () => {
  it('is decided by each at most once, and runs once under whatever grants there are; another one runs too', async () => {
    const mark = world.mark();
    const { request, signature, callerKey } = world.signed(world.marking(mark));
    const { link } = world.gateway;
    const acls = link.directory.role('acl');
    expect(acls).toHaveLength(2);
    const body = {
      request,
      signature,
      callerKey,
      jid: world.gateway.mintJid(),
      credential: null,
      grantRun: null,
      batch: null,
    };
    const messageId = new Uint8Array(16).fill(7);
    const bytes = link.bus.sealer.seal(contracts.grant, body, acls, { messageId, re: null, introduce: true });
    const answers: Uint8Array[] = [];
    const TIMES = 40;
    await new Promise<void>((resolve) => {
      const listening = link.transport.subscribe('_INBOX_BOTH.1', ({ payload }) => {
        if (answers.push(payload) < TIMES) return;
        void listening.close();
        resolve();
      });
      for (let sent = 0; sent < TIMES; sent += 1)
        link.transport.publish(link.subjects.svcAcl('grant'), bytes, '_INBOX_BOTH.1');
    });
    const grants = answers.flatMap((payload) => {
      const opened = link.bus.sealer.open(payload, {
        subject: '_INBOX_BOTH.1',
        contracts: new Map([[contracts.granted.kind, contracts.granted]]),
        expects: () => true,
      });
      return opened.ok ? [(opened.value.body as { readonly grant: Signed }).grant] : [];
    });
    expect(grants).toHaveLength(2);
    const verdicts: string[] = [];
    for (const grant of grants) {
      const order = { ...world.grant(request, [world.web1]), grant };
      verdicts.push((await world.gateway.sends(world.web1, order)).heard);
      await world.gateway.settled(world.web1.link);
    }
    expect(verdicts).toEqual(['done', 'already_returned']);
    expect(mark.count()).toBe(1);
    expect(await world.gateway.runs(world.signed(world.marking(mark)), world.web1)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('hostile broker: stored values', () => {
  it('swapped between two minions give neither the other’s name or state; in their own place they count', async () => {
    const { transport } = world.gateway.link;
    const raw = await openBucket(transport, { name: 'NT_main_roster', replicas: 1, ttlMs: 0 });
    const [one, two] = [`k.${fp(world.web1.key)}`, `k.${fp(world.db1.key)}`];
    const [first, second] = [await raw.get(one), await raw.get(two)];
    if (first === undefined || second === undefined) throw new Error('the roster holds both');
    await raw.put(one, second.value);
    await raw.put(two, first.value);
    const mark = world.mark();
    const mayNothing = world.signed(world.marking(mark), world.db1);
    await leftOut(2);
    expect(await world.gateway.askGrant(mayNothing)).toMatchObject({ grant: null, refusal: { code: 'not_permitted' } });
    expect(await world.gateway.runs(world.signed(world.marking(mark)), world.web1)).toMatchObject({ heard: 'done' });
    await raw.put(one, first.value);
    await raw.put(two, second.value);
    expect(await world.gateway.runs(world.signed(world.marking(mark)), world.web1)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('hostile broker: a replayed stale_key', () => {
  it('is heard once for each replica, however often it comes; the question goes to nobody else', async () => {
    const { link } = world.web1;
    const [acl, other] = link.services('acl');
    const old = acl?.announced;
    if (acl === undefined || old === undefined || other === undefined) throw new Error('two acl-services are known');
    const { transport } = world.gateway.link;
    const heard: Uint8Array[] = [];
    const subject = `nt.main.up.${link.own.fp}.nobody`;
    const listening = transport.subscribe(subject, (message) => {
      heard.push(message.payload);
      for (let times = 0; times < 20; times += 1) message.respond(encodeStaleKey(old));
    });
    await transport.flush();
    const answer = await link.bus.ask(
      { contract: contracts.renew, body: { expires: 0 }, subject, to: () => [acl] },
      contracts.renewed,
      300,
    );
    expect(answer.ok).toBe(false);
    expect(heard.length).toBeLessThanOrEqual(2);
    await listening.close();
  });
});

/** Resolves when the acl-services have said so often that a stored value does not open in its place. */
async function leftOut(times: number): Promise<void> {
  const count = () => world.cluster.aclLog.all.filter(({ msg }) => msg === 'a stored value was left out').length;
  await until('both have left it out', () => count() >= times);
}
