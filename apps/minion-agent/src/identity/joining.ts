/**
 * How the agent comes to be accepted: it asks, and waits for the answer that comes when somebody accepts its key; it asks
 * again now and then, since answers can be lost.
 *
 * Spec: spec/envelope.md#join.
 */
import { joinRequest, type Link } from '@natrium/client';
import { fingerprint, readRoster } from '@natrium/envelope';
import type { ValueMap } from '@natrium/model';
import { contracts } from '@natrium/wire';
import { pause } from '@natrium/process';
import type { Logger } from 'pino';

export interface Joiner {
  readonly id: string;
  readonly link: Link;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What the configuration lets a newcomer show. */
  readonly grains: ValueMap;
}

const ASK_AGAIN_MS = 10_000;

/** What is told where nobody has said anything yet: an operator would look for a key that does not wait. */
const SILENT = 'silent';

export interface Waiting {
  /** Called for each answer that says that it is not accepted. */
  onRefused(): void;
  /** How long to wait before the next question. */
  pause(ms: number): Promise<void>;
}

/** Resolves once this identity is accepted under this id, with its user of the broker, if that knows any. @throws {Error} When the signal says to stop. */
export async function joinCluster(joiner: Joiner, waits: Waiting = justPausing(joiner)): Promise<string | null> {
  let told = '';
  let unheard: string | undefined;
  for (;;) {
    joiner.signal.throwIfAborted(); // a pause that was cut short
    const { state, user, isSilence } = await askOnce(joiner, (waiting) => {
      waits.onRefused();
      if (waiting !== told) say(joiner, waiting);
      told = waiting;
    });
    if (state === 'accepted') return user;
    joiner.signal.throwIfAborted();
    if (state !== undefined && state !== 'pending') waits.onRefused();
    const word = isSilence === true && state !== undefined ? told || SILENT : state;
    if (word !== undefined && word !== told) {
      say(joiner, word);
      told = word;
    }
    if (state !== 'pending') await waits.pause(ASK_AGAIN_MS);
    const problem = await greetAnew(joiner);
    if (problem !== undefined && problem !== unheard) joiner.log.warn(problem);
    unheard = problem;
  }
}

/**
 * Nobody announces itself to those who are not let in: whom hello named is known for as long as that word counts, and a key may wait for days.
 *
 * @returns Why nobody is known, where hello brought no good answer.
 */
async function greetAnew({ link, signal }: Joiner): Promise<string | undefined> {
  if (link.services('acl').length > 0 || signal.aborted) return undefined;
  return (await link.greet())?.sentence;
}

/** What the acl-service says of this identity now; undefined when it says nothing. */
export async function stateOf(joiner: Joiner): Promise<string | undefined> {
  let waits: string | undefined;
  const { state, isSilence } = await askOnce(joiner, (waiting) => {
    waits = waiting;
  });
  return isSilence ? waits : state;
}

/** Undefined: no word that counts. */
interface Word {
  readonly state: string | undefined;
  readonly user: string | null;
  /** Nobody has said it. */
  readonly isSilence?: boolean;
}

/** One question; resolves with the last word on it, or `pending` when it is time to ask again. */
function askOnce({ id, link, signal, grains }: Joiner, onPending: (state: string) => void): Promise<Word> {
  let onAbort = (): void => undefined;
  return new Promise<Word>((resolve) => {
    const request = joinRequest(link, id, link.identity, link.own.announced);
    const stop = link.bus.converse(
      {
        contract: contracts.join,
        body: { request, grains },
        subject: link.subjects.join,
        to: () => link.services('acl'),
      },
      contracts.joined,
      ASK_AGAIN_MS,
      {
        onAnswer: ({ state, record, user }) => {
          if (state === 'pending') {
            onPending(state);
            return 'more';
          }
          resolve({ state: state === 'accepted' && !isOurs(link, id, record) ? undefined : state, user });
          return 'done';
        },
        onFailure: (failure) => {
          resolve({ state: failure === 'timeout' ? 'pending' : undefined, user: null, isSilence: true });
        },
      },
    );
    onAbort = () => {
      stop();
      resolve({ state: undefined, user: null, isSilence: true });
    };
    signal.addEventListener('abort', onAbort, { once: true });
  }).finally(() => {
    // The signal lives as long as the agent, and would keep every question.
    signal.removeEventListener('abort', onAbort);
  });
}

/** The roster record must be the acl-service's word on this very key and id. */
function isOurs({ roles, identity }: Link, id: string, record: Parameters<typeof readRoster>[0] | null): boolean {
  if (record === null) return false;
  const read = readRoster(record, roles.cluster, roles.keysOf('acl'));
  return read.ok && read.value.name === id && fingerprint(read.value.identity) === fingerprint(identity.publicKey);
}

function say({ id, link, log }: Joiner, state: string): void {
  const finger = fingerprint(link.identity.publicKey);
  // For the shell of an operator, who copies it.
  const quoted = `'${id.replaceAll("'", "'\\''")}'`;
  const sentences: Readonly<Record<string, string>> = {
    pending: `waiting for the key of ${id} to be accepted: natrium-key -a ${quoted} --fingerprint ${finger}`,
    denied: `the key of ${id} is denied: another key has this id, or this key another id, or was replaced; its fingerprint is ${finger}`,
    rejected: `the key of ${id} was rejected; its fingerprint is ${finger}`,
    full: 'the master takes no further keys now; asking again',
    [SILENT]: `no acl-service says whether the key of ${id} is accepted; asking again`,
  };
  log.warn(sentences[state] ?? `joining: ${state}`);
}

function justPausing({ signal }: Joiner): Waiting {
  return { onRefused: () => undefined, pause: (ms) => pause(ms, signal) };
}
