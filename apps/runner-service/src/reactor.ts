/**
 * The reactor in a runner-service: a party of its own on the bus, with the key of its role, that follows the events and asks
 * the gateway as any other caller does. Each replica hears every event, and one of them claims each reaction.
 *
 * Spec: docs/reactor.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Reading, Store } from '@natrium/bus';
import { RoleLink, type ServiceStart } from '@natrium/edge';
import { EventLog, eventsOf } from '@natrium/events';
import { compileReactor, type Reaction, Reactor } from '@natrium/flow';
import type { Value } from '@natrium/model';
import { askReaction } from './ask-reaction.js';
import { askedWhileAway } from './asked-while-away.js';
import { claim } from './claim.js';
import { reactionFigures } from './figures.js';

/** Events that came while no replica was there are reacted to when they are not older than this. */
const MISSED_MS = 10 * 60_000;

/** @throws {Error} When a rule makes no sense, or its own link cannot be opened or announced. */
export async function startReactor(start: ServiceStart, taken: Store): Promise<void> {
  const reactions = reactionsIn(start, start.config.loaded.config.reactor);
  const count = reactionFigures(start.metrics);
  if (reactions.length === 0) return;
  const link = await openLink(start);
  try {
    await link.announce();
    await react(start, { link, taken, reactions, count });
  } catch (error) {
    await link.close();
    throw error;
  }
  start.onStop(() => link.close());
}

interface Parts {
  readonly link: RoleLink;
  readonly taken: Store;
  readonly reactions: readonly Reaction[];
  readonly count: ReturnType<typeof reactionFigures>;
}

async function react(start: ServiceStart, { link, taken, reactions, count }: Parts): Promise<void> {
  const { log, onStop } = start;
  const { reactor_depth: depth, reactor_rate: rate } = start.config.loaded.config;
  const stopping = new AbortController();
  onStop(() => {
    stopping.abort();
  });
  const patience = { now: () => performance.now(), pause, stopping: stopping.signal };
  const reactor = new Reactor(
    {
      claim: (event, reaction) =>
        claim(taken, { event, reaction, instance: link.own.instance, at: link.clock.now() }, patience),
      ask: (call) => askedWhileAway(() => askReaction(link, call), patience),
      count,
      note: (became, about, sentence) => {
        if (became === 'ran') log.info(about, sentence);
        else log.warn({ ...about, what: became }, sentence);
      },
      now: () => link.clock.now(),
    },
    reactions,
    { depth, rate },
  );
  const events = new EventLog(await start.link.events('read'), (sender) => link.subjects.events(sender));
  follow(start, events, reactor, () => link.clock.now());
}

/** What it does not open is in the service's figures, and what it asks begins traces of the service. */
function openLink({ config, log, metrics, link: { bus } }: ServiceStart): Promise<RoleLink> {
  const onUnopened = (reason: string) => {
    metrics?.unopened(reason);
  };
  return RoleLink.open({
    role: 'reactor',
    log,
    onUnopened,
    openTracing: () => Promise.resolve(bus.tracing),
    ...config,
  });
}

/** While the service listens and takes runs: what is claimed when nobody could run it here may be lost. */
export function follow(
  { onListening, onFinish, onStop }: Pick<ServiceStart, 'onListening' | 'onFinish' | 'onStop'>,
  events: Pick<EventLog, 'read'>,
  reactor: Pick<Reactor, 'hear' | 'settled'>,
  now: () => number,
): void {
  let reading: Reading | undefined;
  onListening(() => {
    reading = events.read({ since: now() - MISSED_MS }, async (batch) => {
      for (const event of eventsOf(batch)) if (reading !== undefined) await reactor.hear(event);
    });
  });
  const end = async () => {
    reading?.close();
    reading = undefined;
    await reactor.settled();
  };
  // A reaction that nobody can be asked for has as long as runs have; then it is given up.
  onFinish(end);
  onStop(end);
}

function reactionsIn({ config }: ServiceStart, rules: Value): readonly Reaction[] {
  const { reactions, problems } = compileReactor(rules);
  if (problems.length === 0) return reactions;
  const lines = problems.map(({ path, reason, mend }) => {
    const { file, line } = config.loaded.locate(path);
    return `${file}:${String(line)}: ${path.join('.')}: ${reason}; ${mend}`;
  });
  throw new Error(`the reactor has problems\n${lines.join('\n')}`);
}
