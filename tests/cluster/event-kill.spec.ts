/**
 * Agent, gateway and broker are killed (SIGKILL) in the middle of a stream of events from three minions. The ledger at a
 * listener: each event that its sender was told is kept is heard exactly once, in the order of its sender, and no gap.
 *
 * `EVENTS=10000` makes it the full size.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type BusEvent, EventClient, isGap } from '@natrium/events';
import { until } from '@natrium/testing';
import { BUILT, natsServer } from '../support/places.js';
import { START_MS, upCluster } from '../support/up-cluster.js';

const MINIONS = ['a', 'b', 'c'] as const;
const COUNT = Math.ceil(Number(process.env['EVENTS'] ?? 1500) / MINIONS.length);
const WINDOW = 40;
const AGAIN_MS = 100;
const LIMIT_MS = COUNT > 1000 ? 600_000 : 240_000;

const folder = mkdtempSync(join(tmpdir(), 'nt-kill-'));
const running = new Map<string, ChildProcess>();

beforeAll(async () => {
  // It founds the cluster and lets the minions in; then each process is this test's own, to kill and to start again.
  const cluster = await upCluster({ minions: MINIONS, masterConfig: '', folder });
  await cluster.stop();
  start('broker');
  await Promise.all(['acl-service', 'master-gateway', ...MINIONS].map((name) => startReady(name)));
}, START_MS);

afterAll(async () => {
  for (const child of running.values()) child.kill('SIGKILL');
  await Promise.all([...running.values()].map((child) => ended(child)));
  rmSync(folder, { recursive: true, force: true });
});

function start(name: string): ChildProcess {
  const isMinion = (MINIONS as readonly string[]).includes(name);
  const app = join(BUILT, isMinion ? 'minion-agent' : name, 'main.mjs');
  const config = join(folder, ...(isMinion ? ['minions', name] : ['master']));
  const child =
    name === 'broker'
      ? spawn(natsServer(), ['-c', join(folder, 'broker', 'nats-server.conf')], { stdio: 'ignore' })
      : spawn(process.execPath, [app, '-c', config], {
          stdio: ['pipe', 'ignore', process.env['SHOW'] === undefined ? 'ignore' : 'inherit', 'ipc'],
          env: { ...process.env, NATRIUM_SUPERVISED: '1' },
        });
  running.set(name, child);
  return child;
}

async function startReady(name: string): Promise<void> {
  await once(start(name), 'message');
}

async function kill(name: string): Promise<void> {
  const child = running.get(name);
  child?.kill('SIGKILL');
  if (child !== undefined) await ended(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Fires 0 to COUNT - 1 in order, so many at a time; @returns those that the agent says it keeps. */
async function fireAll(id: string): Promise<ReadonlySet<number>> {
  const client = new EventClient(join(folder, 'minions', id, 'run', 'minion_event.sock'));
  const kept = new Set<number>();
  for (let from = 0; from < COUNT; from += WINDOW) {
    const part = Array.from({ length: Math.min(WINDOW, COUNT - from) }, (_, n) => from + n);
    const fired = await Promise.allSettled(
      part.map((n) => client.fire('fire_master', { events: [{ tag: `ledger/${id}`, data: { n } }] })),
    );
    fired.forEach(({ status }, index) => {
      if (status === 'fulfilled') kept.add(from + index);
    });
    // The agent was killed: what it had not confirmed is not sent again, since nobody knows.
    if (kept.size < from + part.length) await until('the agent is back', () => client.fire('there').then(() => true, () => false)); // prettier-ignore
  }
  await client.close();
  return kept;
}

/** Listens until the last event of every minion was heard; goes on from its cursor whenever the gateway goes away. */
async function ledger(): Promise<readonly BusEvent[]> {
  const client = new EventClient(join(folder, 'master', 'run', 'master_event.sock'));
  const heard: BusEvent[] = [];
  const ended = new Set<string>();
  for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
    const cursor = heard.at(-1)?.cursor;
    try {
      const events = await client.subscribe({ tags: 'ledger/', from: cursor === undefined ? 'start' : { cursor } });
      for await (const event of events) {
        heard.push(event);
        if (event.data['n'] === COUNT) ended.add(event.tag);
        if (ended.size === MINIONS.length) return heard;
      }
    } catch {
      // No gateway serves it now.
    }
    await pause(AGAIN_MS);
  }
  return heard;
}

function idsBySender(events: readonly BusEvent[]): readonly (readonly string[])[] {
  return MINIONS.map((id) => events.filter(({ tag }) => tag === `ledger/${id}`).map(({ id: place }) => place));
}

it(
  'kills lose nothing, double nothing and change no order',
  async () => {
    const sent = Promise.all(MINIONS.map(async (id) => [id, await fireAll(id)] as const));
    const listening = ledger();
    await pause(200);
    await kill('a');
    await startReady('a');
    await kill('master-gateway');
    await pause(200);
    await startReady('master-gateway');
    await kill('broker');
    await pause(200);
    start('broker');
    const kept = new Map<string, ReadonlySet<number>>(await sent);
    // Something of every minion behind all the rest: when it is heard, all before it was.
    for (const id of MINIONS) {
      const client = new EventClient(join(folder, 'minions', id, 'run', 'minion_event.sock'));
      await client.fire('fire_master', { events: [{ tag: `ledger/${id}`, data: { n: COUNT } }] });
      await client.close();
    }
    const heard = await Promise.race([listening, pause(LIMIT_MS, [], { ref: false })]);
    for (const id of MINIONS) {
      const numbers = heard.filter(({ tag }) => tag === `ledger/${id}`).map(({ data }) => Number(data['n']));
      expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
      expect([...(kept.get(id) ?? [])].filter((n) => !numbers.includes(n))).toEqual([]);
      expect(kept.get(id)?.size).toBeGreaterThan(COUNT - 2 * WINDOW);
    }
    expect(heard.filter(({ tag }) => isGap(tag))).toEqual([]);
    // The one who resumed has heard what the journal holds, event for event.
    const journal = await ledger();
    expect(idsBySender(heard)).toEqual(idsBySender(journal));
  },
  2 * LIMIT_MS,
);
