/** Who is told to stop asks nothing any more, and a question that has ended leaves nothing behind at the signal that would have told it. */
import { getEventListeners } from 'node:events';
import { clusterOf, fingerprint, identityFrom, newIdentitySecret, signData, sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import { joinCluster, type Joiner, stateOf } from './joining.js';

interface Hearing {
  onAnswer(answer: object): string;
  onFailure(failure: string): void;
}

beforeAll(sodiumReady);

/** One whose questions come out as `say` has it; `stop` tells it to end. */
function aJoiner(say: (hear: Hearing) => void) {
  const stop = new AbortController();
  const identity = identityFrom(newIdentitySecret());
  const cluster = clusterOf(identity.publicKey);
  const ended: string[] = [];
  const link = {
    identity,
    own: { announced: signData(identity.signing, cluster, { number: 1, grains: {} }) },
    clock: { now: () => 1 },
    roles: { cluster },
    subjects: { join: 'join' },
    services: () => ['acl'],
    bus: {
      converse: (...[, , , hear]: readonly [unknown, unknown, unknown, Hearing]) => {
        queueMicrotask(() => {
          say(hear);
        });
        return () => ended.push('by the signal');
      },
    },
  };
  const joiner = { id: 'web1', link, log: pino({ enabled: false }), signal: stop.signal, grains: {} };
  return { joiner: joiner as unknown as Joiner, stop, ended };
}

it('says how its key is accepted, as a shell takes it: of several keys that wait under this id just this one', async () => {
  const { joiner, stop } = aJoiner((hear) => {
    hear.onAnswer({ state: 'pending', record: null, user: null });
    stop.abort(new Error('the agent ends'));
  });
  const said: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void said.push(line) });
  await expect(joinCluster({ ...joiner, id: "joe's *", log })).rejects.toThrow('the agent ends');
  const finger = fingerprint(joiner.link.identity.publicKey);
  const msg = `waiting for the key of joe's * to be accepted: natrium-key -a 'joe'\\''s *' --fingerprint ${finger}`;
  expect(said.map((line) => JSON.parse(line) as object)).toEqual([{ level: 40, msg }]);
});

it.each([
  [['pending'], ['waiting for the key of web1']],
  [['rejected'], ['the key of web1 was rejected']],
  [[], ['no acl-service says whether the key of web1 is accepted']],
])('where nobody answers any more it says nothing that nobody said: after %j', async (answers, sentences) => {
  const words = [...answers];
  let silent = 0;
  const { joiner, stop } = aJoiner((hear) => {
    const state = words.shift();
    if (state !== undefined) hear.onAnswer({ state, record: null, user: null });
    else if ((silent += 1) > 2) stop.abort(new Error('the agent ends'));
    if (state === undefined || state === 'pending') hear.onFailure('timeout');
  });
  const said: string[] = [];
  const log = { warn: (sentence: string) => void said.push(sentence) } as unknown as Joiner['log'];
  const waits = { onRefused: () => undefined, pause: () => Promise.resolve() };
  await expect(joinCluster({ ...joiner, log }, waits)).rejects.toThrow('the agent ends');
  expect(said).toEqual(sentences.map((begin) => expect.stringContaining(begin) as string));
});

it('an agent that ends while it waits to ask again does not ask again', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the agent ends'));
  await expect(joinCluster({ signal: stop.signal } as Joiner)).rejects.toThrow('the agent ends');
});

it('an agent that ends while it asks ends its question', async () => {
  const { joiner, stop, ended } = aJoiner(() => {
    stop.abort(new Error('the agent ends'));
  });
  await expect(joinCluster(joiner)).rejects.toThrow('the agent ends');
  expect(ended).toEqual(['by the signal']);
});

it.each<[string, (hear: Hearing) => void]>([
  ['an answer', (hear) => hear.onAnswer({ state: 'denied', record: null, user: null })],
  ['silence', (hear) => { hear.onFailure('timeout'); }],
  ['silence after the word that it waits', (hear) => {
    hear.onAnswer({ state: 'pending', record: null, user: null });
    hear.onFailure('timeout');
  }],
  ['nobody who could answer', (hear) => { hear.onFailure('no_responders'); }],
])('questions that ended with %s leave nothing at the signal', async (_, say) => {
  const { joiner, stop } = aJoiner(say);
  for (let n = 0; n < 20; n += 1) await stateOf(joiner);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
}); // prettier-ignore

it('says hello again where nobody is known any more whom it could ask, and once why that brings nobody: a key may wait for days', async () => {
  const [known, said]: [string[], string[]] = [[], []];
  const { joiner, stop } = aJoiner((hear) => {
    if (known.length > 0) stop.abort(new Error('the agent ends'));
    else hear.onFailure('nobody_known');
  });
  let rounds = 0;
  const greet = () => {
    if (rounds < 3) return Promise.resolve({ code: 'no_answer', sentence: 'nobody answers hello' });
    known.push('acl');
    return Promise.resolve(undefined);
  };
  const link = { ...joiner.link, services: () => known, greet } as unknown as Joiner['link'];
  const log = { ...joiner.log, warn: (sentence: string) => void said.push(sentence) } as unknown as Joiner['log'];
  const waits = {
    onRefused: () => undefined,
    pause: () => {
      rounds += 1;
      if (rounds > 5) stop.abort(new Error('it asks nobody for ever'));
      return Promise.resolve();
    },
  };
  await expect(joinCluster({ ...joiner, link, log }, waits)).rejects.toThrow('the agent ends');
  expect([known, said]).toEqual([['acl'], ['nobody answers hello']]);
});
