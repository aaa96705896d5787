/** Rules of sealed conversations, over the broker in memory: who may ask and answer what, and how stale keys are mended. */
import {
  announce,
  encodeStaleKey,
  fp,
  identityFrom,
  type KnownParty,
  newIdentitySecret,
  toHex,
} from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import type { Opened } from '../sealing/opened.js';
import { SealedBus } from './sealed-bus.js';
import {
  aFleet,
  type Fleet,
  JID,
  NOW,
  type Party,
  PATIENCE,
  settle,
  tap,
  useWorld,
  World,
} from './world.spec-support.js';

const world = useWorld();

describe('strangers', () => {
  it('use up nobody else’s room, however many ask to join, and leave nothing behind', async () => {
    world().strangers = 20;
    const acl = world().service('acl', 'a1');
    const gateway = world().service('gateway', 'g1').knows(acl);
    acl.bus.serve('nt.main.join', 'acl', [contracts.join], () => undefined);
    acl.bus.serve('nt.main.svc.acl.grant', 'acl', [contracts.grant], (opened) => {
      opened.answer(contracts.granted, { refusal: null, grant: null, members: [], missing: [], rule: 'r' });
    });
    const request = { bytes: new Uint8Array(10), signature: new Uint8Array(64) };
    const framing = { messageId: new Uint8Array(16), re: null, introduce: true };
    const strangers: KnownParty[] = [];
    for (let n = 0; n < 21; n += 1) {
      const stranger = world().minion();
      strangers.push(stranger.known);
      world().parties.pop();
      const bytes = stranger.bus.sealer.seal(contracts.join, { request, grains: {} }, [acl.known], framing);
      stranger.transport.publish('nt.main.join', bytes);
      void stranger.bus.close();
    }
    await settle();
    expect(acl.failures).toEqual(['slow_down']);
    const isLeft = ({ keyId, owner: { key } }: KnownParty) =>
      acl.directory.byKeyId(keyId) !== undefined || acl.directory.jobsOf(toHex(key)) !== undefined;
    expect(strangers.filter(isLeft)).toEqual([]);
    const body = { request: new Uint8Array(10), signature: null, credential: null, grantRun: null, callerKey: null, jid: JID, batch: null }; // prettier-ignore
    const to = () => [acl.known];
    const answer = await gateway.bus.ask(
      { contract: contracts.grant, body, subject: 'nt.main.svc.acl.grant', to },
      contracts.granted,
      PATIENCE,
    );
    expect(answer).toMatchObject({ ok: true });
    expect(isLeft(gateway.known)).toBe(true);
  });

  it('have no jobs sealed to them, whatever they announce; whoever is known has them sealed to its next epoch', async () => {
    const gateway = world().service('gateway', 'gw1');
    const [stranger, minion] = [world().minion().knows(gateway), world().minion().knows(gateway)];
    gateway.knows(minion);
    gateway.takeEvents();
    const isTold = [stranger, minion].map(async (party) => {
      party.own.rotate((world().nowMs += 1));
      return (await party.tell(() => [gateway.known])).ok;
    });
    expect(await Promise.all(isTold)).toEqual([true, true]);
    const sealedTo = [stranger, minion].map(({ known }) => gateway.directory.jobsOf(toHex(known.owner.key))?.keyId);
    expect(sealedTo).toEqual([undefined, minion.known.keyId]);
  });
});

describe('a question', () => {
  it('is opened by the one that was asked, who knows from whom it is, and answered', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    const answer = await minion.tell(() => [gateway.known]);
    expect(answer).toMatchObject({ ok: true, value: { body: { through: 1 } } });
    expect(opened.map(({ kind, party }) => [kind, fp(party.owner.key)])).toEqual([['events', minion.own.fp]]);
  });

  it('keeps no process alive once nothing can be heard any more, be it asked before or after', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    world()
      .broker.connect()
      .subscribe('nt.main.up.*.event', () => undefined); // there, and silent
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const asked = [minion.tell(() => [gateway.known])];
    expect(timers()).toBe(before + 1);
    await minion.bus.close();
    asked.push(minion.tell(() => [gateway.known]));
    expect(timers()).toBe(before);
    expect((await Promise.all(asked)).map((answer) => !answer.ok && answer.error)).toEqual(['timeout', 'timeout']);
  });

  it('shows the broker nothing of what it holds', async () => {
    const seen = tap(world());
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    expect(seen.length).toBeGreaterThan(1);
    for (const { payload } of seen) expect(Buffer.from(payload).includes('canary')).toBe(false);
  });

  it('is answered in inboxes only, whatever its sender names: the store of who answers is no place of his', async () => {
    const seen = tap(world());
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    const [sealed] = minion.sent;
    const thief = world().broker.connect();
    const told = async (reply: string) => {
      // What opens no more, and what never did.
      for (const payload of [sealed?.payload ?? new Uint8Array(), Uint8Array.of(1, 2, 3)])
        thief.publish(sealed?.subject ?? '', payload, reply);
      await settle();
      return seen.filter(({ subject }) => subject === reply).length;
    };
    for (const reply of ['$KV.NT_main_roster.k.x', 'nt.main.events.x', '$JS.API.x', '_INBOX', '_INBOX.>', '_INBOXES.x'])
      expect([reply, await told(reply)]).toEqual([reply, 0]);
    for (const reply of ['_INBOX.x.1', '_INBOX_JOIN.x']) expect([reply, await told(reply)]).toEqual([reply, 2]);
    gateway.bus.answerLater(minion.known, '$KV.x', new Uint8Array(16), contracts.eventsStored, { through: 1 });
    expect(gateway.sent).toEqual([]);
  });

  it('to nobody fails at once, and nothing is sent', async () => {
    const minion = world().minion();
    expect(await minion.tell(() => [])).toEqual({ ok: false, error: 'nobody_known' });
    expect(minion.sent).toEqual([]);
  });

  it('that nobody listens for fails at once, by the broker’s word', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    expect(await minion.tell(() => [gateway.known])).toEqual({ ok: false, error: 'no_responders' });
  });

  it('introduces its sender once, and not again to whoever has answered', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    await minion.tell(() => [gateway.known]);
    const [first = 0, second = 0] = minion.sent.map(({ payload }) => payload.length);
    expect(second).toBeLessThan(first - 100);
    expect(gateway.failures).toEqual([]);
  });

  it('is answered also when the gateway’s epoch ends while it works on the answer', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const asked = gateway.known;
    gateway.bus.serve('nt.main.up.*.event', undefined, [contracts.events], (message) => {
      gateway.own.rotate(world().nowMs);
      message.answer(contracts.eventsStored, { through: 1 });
    });
    expect((await minion.tell(() => [asked])).ok).toBe(true);
    expect(minion.failures).toEqual([]);
  });

  it('of a known sender to a gateway that has lost its memory is asked again, with its announcement', async () => {
    const first = world().service('gateway', 'gw1');
    const minion = world().minion().knows(first);
    const taken = first.takeEvents();
    await minion.tell(() => [first.known]);
    first.directory.forget(minion.known);
    expect((await minion.tell(() => [first.known])).ok).toBe(true);
    expect(first.failures).toEqual(['unknown_sender']);
    expect(taken).toHaveLength(2);
  });
});

/** What a gateway must not open: the question, and the reason. */
describe('a question is turned away', () => {
  it.each([
    ['on the subject of another minion', 'kind', (minion: Party, gateway: Party) => {
      const other = world().minion();
      return minion.tell(() => [gateway.known], `nt.main.up.${other.own.fp}.event`);
    }],
    ['of a kind that does not belong there', 'kind', (minion: Party, gateway: Party) => {
      const question = { contract: contracts.here, body: { running: [] }, to: () => [gateway.known] };
      return minion.bus.ask({ ...question, subject: `nt.main.up.${minion.own.fp}.event` }, contracts.eventsStored, PATIENCE);
    }],
    ['of a kind that its role may not send', 'kind', (_minion: Party, gateway: Party) => {
      return world().service('runner', 'r1').tell(() => [gateway.known]);
    }],
  ] as const)('%s', async (_about, reason, ask) => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    expect(await ask(minion, gateway)).toEqual({ ok: false, error: 'turned_away' });
    expect(gateway.failures).toEqual([reason]);
    expect(opened).toEqual([]);
  }); // prettier-ignore

  it('from a service whose key the roles document does not name', async () => {
    const stranger = new World().service('gateway', 'gw1');
    const acl = world().service('acl', 'acl1');
    const opened: Opened[] = [];
    acl.bus.serve('nt.main.svc.acl.grant', 'acl', [contracts.grant], (message) => opened.push(message));
    const bus = new SealedBus(world().broker.connect(), stranger.bus.sealer);
    const body = {
      request: Uint8Array.of(1),
      signature: null,
      credential: null,
      grantRun: null,
      callerKey: null,
      jid: JID,
      batch: null,
    };
    const question = { contract: contracts.grant, body, subject: 'nt.main.svc.acl.grant', to: () => [acl.known] };
    expect((await bus.ask(question, contracts.granted, PATIENCE)).ok).toBe(false);
    expect([opened, acl.failures]).toEqual([[], ['unknown_sender']]);
  });

  it('when it comes a second time, byte by byte', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    const [first] = minion.sent;
    world().broker.connect().publish(first!.subject, first!.payload);
    await settle();
    expect(opened).toHaveLength(1);
    expect(gateway.failures).toEqual(['replayed']);
  });

  it('when it is re-addressed to another subject', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    world().broker.connect().publish(`nt.main.up.${world().minion().own.fp}.event`, minion.sent[0]!.payload);
    await settle();
    expect(opened).toHaveLength(1);
    expect(gateway.failures).toEqual(['kind']);
  });

  it('when it is older than it may live, or from the future', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    await minion.tell(() => [gateway.known]);
    const late = minion.sent[1]!;
    world().nowMs = NOW + 30_001;
    world().broker.connect().publish(late.subject, late.payload);
    await settle();
    world().nowMs = NOW - 30_001;
    world().broker.connect().publish(late.subject, late.payload);
    await settle();
    expect(opened).toHaveLength(2);
    expect(gateway.failures).toEqual(['stale', 'future']);
  });

  it('when it is no message at all', async () => {
    const gateway = world().service('gateway', 'gw1');
    gateway.takeEvents();
    for (const payload of [new Uint8Array(), Uint8Array.of(0xc1), new Uint8Array(100)]) {
      world().broker.connect().publish('nt.main.up.x.event', payload);
    }
    await settle();
    expect(gateway.failures).toEqual(['shape', 'shape', 'shape']);
  });
});

describe('a stale key', () => {
  /** The minion seals to `old`, whose gateway has long had other keys. */
  function aRestart() {
    const old = world().service('gateway', 'gw1');
    const minion = world().minion().knows(old);
    const stale = old.known;
    world().nowMs += 1000;
    const gateway = world().service('gateway', 'gw1');
    return { minion, gateway, to: () => [stale] };
  }

  it('is answered with the new one, and the question is sealed again', async () => {
    const { minion, gateway, to } = aRestart();
    const opened = gateway.takeEvents();
    expect((await minion.tell(to)).ok).toBe(true);
    expect(opened).toHaveLength(1);
    expect(gateway.failures).toEqual(['stale_key']);
  });

  it('is the same message again, not a new one', async () => {
    const { minion, gateway, to } = aRestart();
    const opened = gateway.takeEvents();
    await minion.tell(to);
    const token = Buffer.from(opened[0]!.messageId).toString('hex');
    expect(opened[0]?.reply).toContain(token);
    expect(minion.sent).toHaveLength(2);
  });

  it('is mended once for each replica, whatever keys that one shows', async () => {
    const { minion, to } = aRestart();
    const transport = world().broker.connect();
    let asked = 0;
    transport.subscribe('nt.main.up.*.event', ({ reply }) => {
      asked += 1;
      const liar = world().service('gateway', 'gw1');
      if (asked < 20) transport.publish(reply!, encodeStaleKey(liar.own.announced));
    });
    void minion.tell(to);
    await settle(100);
    expect(asked).toBe(2);
  });

  it('of somebody who was not asked changes nothing', async () => {
    const { minion, to } = aRestart();
    const transport = world().broker.connect();
    let asked = 0;
    transport.subscribe('nt.main.up.*.event', ({ reply }) => {
      asked += 1;
      transport.publish(reply!, encodeStaleKey(world().service('acl', 'acl1').own.announced));
      transport.publish(reply!, encodeStaleKey(world().minion().own.announced));
      transport.publish(reply!, encodeStaleKey(new World().service('gateway', 'gw1').own.announced));
    });
    void minion.tell(to);
    await settle(50);
    expect(asked).toBe(1);
  });
});

describe('an answer', () => {
  /** A gateway that hands each question to the test. */
  function aGateway() {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    const asked: Opened[] = [];
    gateway.bus.serve('nt.main.up.*.event', undefined, [contracts.events], (message) => asked.push(message));
    return { gateway, minion, asked };
  }

  it('from another role than was asked is ignored; the right one still counts', async () => {
    const { gateway, minion, asked } = aGateway();
    const answer = minion.tell(() => [gateway.known]);
    await settle();
    const [question] = asked;
    const acl = world().service('acl', 'acl1');
    acl.bus.answerLater(minion.known, question!.reply!, question!.messageId, contracts.eventsStored, { through: 11 });
    await settle();
    expect(minion.failures).toEqual(['kind']);
    question!.answer(contracts.eventsStored, { through: 1 });
    expect(await answer).toMatchObject({ ok: true, value: { body: { through: 1 } } });
  });

  it('to another question is ignored; the right one still counts', async () => {
    const { gateway, minion, asked } = aGateway();
    const answer = minion.tell(() => [gateway.known]);
    await settle();
    const [question] = asked;
    gateway.bus.answerLater(minion.known, question!.reply!, new Uint8Array(16), contracts.eventsStored, {
      through: 11,
    });
    await settle();
    expect(minion.failures).toEqual(['re']);
    question!.answer(contracts.eventsStored, { through: 1 });
    expect(await answer).toMatchObject({ ok: true, value: { body: { through: 1 } } });
  });

  it('that was swapped with another one’s answers neither', async () => {
    const { gateway, minion, asked } = aGateway();
    const answers = [minion.tell(() => [gateway.known]), minion.tell(() => [gateway.known])];
    await settle();
    const [first, second] = asked;
    const swapped = { from: gateway, to: minion.known };
    swapped.from.bus.answerLater(swapped.to, first!.reply!, second!.messageId, contracts.eventsStored, {
      through: 12,
    });
    swapped.from.bus.answerLater(swapped.to, second!.reply!, first!.messageId, contracts.eventsStored, {
      through: 11,
    });
    await settle();
    expect(minion.failures).toEqual(['re', 're']);
    first!.answer(contracts.eventsStored, { through: 1 });
    second!.answer(contracts.eventsStored, { through: 1 });
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ value: { body: { through: 1 } } });
  });

  it('that comes when the conversation is over is not even opened', async () => {
    const { gateway, minion, asked } = aGateway();
    const answer = minion.tell(() => [gateway.known]);
    await settle();
    asked[0]!.answer(contracts.eventsStored, { through: 1 });
    await answer;
    asked[0]!.answer(contracts.eventsStored, { through: 1 });
    await settle();
    expect(minion.failures).toEqual([]);
  });

  it('may come several times while the listener wants more', async () => {
    const { gateway, minion, asked } = aGateway();
    const heard: (number | string)[] = [];
    const body = { first: 1, dropped: 0, events: [] };
    const subject = `nt.main.up.${minion.own.fp}.event`;
    const question = { contract: contracts.events, body, subject, to: () => [gateway.known] };
    const stop = minion.bus.converse(question, contracts.eventsStored, PATIENCE, {
      onAnswer: ({ through }) => {
        heard.push(through);
        return heard.length < 2 ? 'more' : 'done';
      },
      onFailure: (failure) => heard.push(failure),
    });
    await settle();
    for (const through of [1, 2, 3]) asked[0]!.answer(contracts.eventsStored, { through });
    await settle();
    stop();
    expect(heard).toEqual([1, 2]);
  });
});

describe('a fan-out', () => {
  function ask(gateway: Party, targets: Fleet['targets']) {
    const said: unknown[] = [];
    const fan = {
      contract: contracts.presence,
      body: { jids: [JID] },
      targets,
      answers: contracts.here,
      timeoutMs: PATIENCE,
    };
    const stop = gateway.bus.fanOut(fan, {
      onAnswer: (index, { running }) => said.push([index, running]),
      onNoResponders: (index) => said.push([index, 'not there']),
    });
    return { said, stop };
  }

  it('reaches each minion on its own subject, also one that did not know the gateway, with its own private part', async () => {
    const { minions, gateway, heard, targets } = aFleet(world(), 3);
    minions[0]!.knows(gateway);
    const { said, stop } = ask(gateway, targets);
    await settle();
    expect(heard.map((opened) => opened.map(({ private: part }) => [...part]))).toEqual([
      [[0x91, 0]],
      [[0x91, 1]],
      [[0x91, 2]],
    ]);
    expect(minions.map(({ failures }) => failures)).toEqual([[], ['unknown_sender'], ['unknown_sender']]);
    for (const [opened] of heard) opened!.answer(contracts.here, { running: [JID] });
    await settle();
    expect(said).toEqual([0, 1, 2].map((index) => [index, [JID]]));
    stop();
  });

  it('is encrypted once: the messages differ in their wraps only', async () => {
    const { minions, gateway, targets } = aFleet(world(), 2);
    for (const minion of minions) minion.knows(gateway);
    const { stop } = ask(gateway, targets);
    const [one, two] = gateway.sent.map(({ payload }) => Buffer.from(payload));
    expect(one?.length).toBe(two?.length);
    const same = one!.findIndex((byte, index) => byte !== two![index]);
    expect(same).toBeGreaterThan(one!.length - 200);
    await settle();
    stop();
  });

  it('of much to each goes out a part at a time, and reaches all', async () => {
    const { minions, gateway, targets } = aFleet(world(), 5);
    const heard: number[] = [];
    for (const [index, minion] of minions.entries()) {
      minion.knows(gateway);
      const subject = `nt.main.job.${minion.own.fp}.large`;
      minion.bus.serve(subject, undefined, [contracts.job], () => heard.push(index));
    }
    const request = new Uint8Array(6 << 20);
    const body = { request, grant: { bytes: Uint8Array.of(1), signature: new Uint8Array(64) }, instance: 'gw1' };
    const large = targets.map((target) => ({ ...target, subject: `${target.subject}.large` }));
    const fan = { contract: contracts.job, body, targets: large, timeoutMs: PATIENCE };
    const stop = gateway.bus.fanOut(fan, { onNoResponders: () => undefined });
    expect(gateway.sent).toHaveLength(3);
    await settle();
    expect(heard).toEqual([0, 1, 2, 3, 4]);
    stop();
  });

  it('hears at once who is not there', async () => {
    const { gateway, targets } = aFleet(world(), 1);
    const absent = world().minion();
    const gone = { party: absent.known, subject: `nt.main.job.${absent.own.fp}`, private: [] };
    const { said, stop } = ask(gateway, [...targets, gone]);
    await settle();
    expect(said).toEqual([[1, 'not there']]);
    stop();
  });

  it('takes no answer of one minion in the place of another', async () => {
    const { minions, gateway, heard, targets } = aFleet(world(), 2);
    const { said, stop } = ask(gateway, targets);
    await settle();
    const [{ reply, messageId } = heard[0]![0]!] = heard[1]!;
    minions[0]!.bus.answerLater(gateway.known, reply!, messageId, contracts.here, { running: [] });
    await settle();
    expect(said).toEqual([]);
    stop();
  });

  it('reaches the others when nothing can be sealed to one of them, who counts as not there', async () => {
    const { minions, gateway, heard, targets } = aFleet(world(), 2);
    for (const minion of minions) minion.knows(gateway);
    const [liar, honest] = targets;
    const poisoned: KnownParty = { ...liar!.party, epochKey: gateway.known.epochKey };
    const { said, stop } = ask(gateway, [{ ...liar!, party: poisoned }, honest!]);
    expect(said).toEqual([]);
    await settle();
    expect(said).toEqual([[0, 'not there']]);
    expect(heard.map((opened) => opened.length)).toEqual([0, 1]);
    stop();
  });

  it('takes no stale answer that names the asker’s own epoch key: the next one is sealed as before', async () => {
    const { minions, gateway, heard, targets } = aFleet(world(), 1);
    minions[0]!.knows(gateway);
    const identity = identityFrom(newIdentitySecret());
    const liar = world().minion(identity);
    gateway.knows(liar);
    const { owner, use, notBefore, notAfter, rolesSerial } = liar.known;
    const { epochKey } = gateway.known;
    const lie = { owner, use, epochKey, notBefore: notBefore + 1, notAfter, rolesSerial };
    const subject = `nt.main.job.${liar.own.fp}`;
    world()
      .broker.connect()
      .subscribe(subject, (message) => {
        message.respond(encodeStaleKey(announce(identity.signing, world().cluster, lie)));
      });
    for (let times = 1; times <= 2; times += 1) {
      const party = gateway.directory.jobsOf(toHex(identity.publicKey))!;
      expect(party.epochKey).toEqual(liar.known.epochKey);
      const { said, stop } = ask(gateway, [{ party, subject, private: [0] }, ...targets]);
      await settle();
      expect([said, heard[0]!.length]).toEqual([[], times]);
      stop();
    }
  });

  it('cannot be opened by another minion', async () => {
    const { minions, gateway, heard, targets } = aFleet(world(), 2);
    for (const minion of minions) minion.knows(gateway);
    const { stop } = ask(gateway, targets);
    await settle();
    const [first] = gateway.sent;
    world().broker.connect().publish(`nt.main.job.${minions[1]!.own.fp}`, first!.payload);
    await settle();
    expect(heard[1]).toHaveLength(1);
    expect(minions[1]!.failures).toEqual(['stale_key']);
    stop();
  });

  it('hears nothing after it was stopped', async () => {
    const { gateway, heard, targets } = aFleet(world(), 1);
    const { said, stop } = ask(gateway, targets);
    await settle();
    stop();
    heard[0]![0]!.answer(contracts.here, { running: [] });
    await settle();
    expect(said).toEqual([]);
  });
});

describe('several replicas', () => {
  it('hear a question once, whichever the queue chooses', async () => {
    const [first, second] = [world().service('gateway', 'gw1'), world().service('gateway', 'gw2')];
    const minion = world().minion().knows(first, second);
    const [one, two] = [first.takeEvents('gateway'), second.takeEvents('gateway')];
    for (let n = 0; n < 6; n += 1) expect((await minion.tell(() => minion.directory.role('gateway'))).ok).toBe(true);
    expect(one.length + two.length).toBe(6);
    expect([...first.failures, ...second.failures].every((reason) => reason === 'unknown_sender')).toBe(true);
  });

  it('answer in the place of the one that was asked first', async () => {
    const [gone, here] = [world().service('gateway', 'gw1'), world().service('gateway', 'gw2')];
    const minion = world().minion().knows(gone, here);
    here.takeEvents('gateway');
    expect((await minion.tell(() => [gone.known])).ok).toBe(true);
  });
});
