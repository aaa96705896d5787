/**
 * A service learns the time before it does anything: from the acl-service, which it waits for. Later it asks again at each epoch
 * and before it renews its announcement: its host's clock may have been set meanwhile, and so may the acl-service's.
 *
 * Spec: spec/envelope.md#time.
 */
import { type Clock, hello, type NatsTransport, type Roles } from '@natrium/bus';
import type { Subjects } from '@natrium/wire';
import type { Logger } from 'pino';

const HELLO_MS = 2000;
const HELLO_TRIES = 30;
const ANNOUNCEMENT_WAIT_MS = 1000;

/** A service, as far as it learns. */
export interface Learner {
  readonly transport: NatsTransport;
  readonly subjects: Subjects;
  readonly roles: Roles;
  readonly clock: Clock;
  readonly log: Logger;
}

function reportClock({ offsetMs }: Clock, log: Logger): void {
  if (offsetMs !== 0) log.error({ offsetMs }, 'the clock of this host is wrong');
}

/** The time is the acl-service's word; a service that starts before it waits for it. */
export async function learnTime(of: Learner): Promise<void> {
  const { transport, subjects, roles, clock, log } = of;
  let why = '';
  for (let attempt = 0; attempt < HELLO_TRIES; attempt += 1) {
    const arrival = nextAnnouncement(transport, subjects.dir('acl'));
    const greeted = await ask(of);
    if (greeted.ok) {
      arrival.stop();
      reportClock(clock, log);
      roles.takeOver(greeted.value.roles.chain, clock.now());
      return;
    }
    why = greeted.error.sentence;
    log.info(why);
    await arrival.heard;
  }
  throw new Error(`no acl-service answered hello; start one, then start this service again (${why})`);
}

/** Without a good answer the clock stays as it was. */
export async function learnTimeAgain(of: Learner): Promise<void> {
  const { roles, clock, log } = of;
  const before = clock.offsetMs;
  const greeted = await ask(of);
  if (!greeted.ok) log.warn(greeted.error.sentence);
  else roles.takeOver(greeted.value.roles.chain, clock.now());
  if (clock.offsetMs !== before) reportClock(clock, log);
}

function ask({ transport, subjects, roles, clock }: Learner) {
  return hello(transport, subjects, { firstRoot: roles.chain[0] }, clock, {
    minSerial: roles.document.serial,
    newest: roles.newest,
    timeoutMs: HELLO_MS,
    inbox: transport.inbox,
  });
}

/** Resolves when a service of the role announces itself, or after a second. */
function nextAnnouncement(transport: NatsTransport, subject: string): { readonly heard: Promise<void>; stop(): void } {
  let resolveHeard: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    resolveHeard = resolve;
  });
  const stop = () => {
    clearTimeout(timer);
    void listening.close();
    resolveHeard();
  };
  const listening = transport.subscribe(subject, stop);
  const timer = setTimeout(stop, ANNOUNCEMENT_WAIT_MS);
  return { heard, stop };
}
