/** What is done to whom, and when: drawn from a seed, so that a round can be had again. */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '@natrium/testing';
import { type DrillCluster, type Role, ROLES, type Victim } from './cluster.js';

export const HURTS = ['kill', 'stop', 'partition'] as const;
export type Hurt = (typeof HURTS)[number];

export interface PlannedFault {
  readonly atMs: number;
  readonly role: Role;
  readonly hurt: Hurt;
  readonly lastsMs: number;
  /** Which one of the role, and whether it is told of its partition, as parts of a whole. */
  readonly dice: number;
}

export interface Fault extends PlannedFault {
  readonly name: string;
  /** performance.now() */
  readonly began: number;
  healed: number;
  /** Milliseconds until all was as before; undefined while it is not. */
  recoveredMs: number | undefined;
}

const DICE = 1 << 16;
const LEAST_MS = 800;
const MOST_MS = 4000;
/** A broker of three stands the loss of one: the next is hurt when the last one is back. */
const BROKER_GAP_MS = 9000;

/** Every kind equally often, in an order and at moments that the seed says. */
export function plan(seed: number, totalMs: number, count: number): readonly PlannedFault[] {
  const draw = seeded(seed);
  const kinds = ROLES.flatMap((role) => HURTS.map((hurt) => ({ role, hurt })));
  const rounds = Math.ceil(count / kinds.length);
  const every = shuffled(Array.from({ length: rounds }, () => shuffled(kinds, draw)).flat().slice(0, Math.max(count, 1)), draw); // prettier-ignore
  const gap = totalMs / every.length;
  return every.map(({ role, hurt }, index) => ({
    atMs: index * gap + draw(Math.max(1, Math.floor(gap))),
    role,
    hurt,
    lastsMs: LEAST_MS + draw(MOST_MS - LEAST_MS),
    dice: draw(DICE),
  }));
}

function shuffled<T>(list: readonly T[], draw: (below: number) => number): readonly T[] {
  const left = [...list];
  return list.map(() => left.splice(draw(left.length), 1)).flat();
}

export class Faults {
  readonly done: Fault[] = [];
  #brokersFree = 0;

  constructor(
    private readonly cluster: DrillCluster,
    private readonly say: (line: string) => void,
  ) {}

  /** Resolves when the last one is healed. */
  async inject(planned: readonly PlannedFault[], signal: AbortSignal): Promise<void> {
    const began = performance.now();
    setMaxListeners(0, signal);
    const healing: Promise<void>[] = [];
    for (const fault of planned) {
      await waitUntil(began + fault.atMs, signal);
      if (fault.role === 'broker') await waitUntil(this.#brokersFree, signal);
      if (signal.aborted) break;
      if (fault.role === 'broker') this.#brokersFree = performance.now() + fault.lastsMs + BROKER_GAP_MS;
      healing.push(this.#hurt(fault));
    }
    await Promise.all(healing);
  }

  async #hurt(planned: PlannedFault): Promise<void> {
    const victim = this.#victim(planned);
    if (victim === undefined) return;
    const { program, proxies } = victim;
    const fault: Fault = {
      ...planned,
      name: program.name,
      began: performance.now(),
      healed: 0,
      recoveredMs: undefined,
    };
    this.done.push(fault);
    program.isFaulted = true;
    this.say(`${planned.hurt} ${program.name}`);
    const silently = planned.dice % 2 === 1;
    if (planned.hurt === 'kill') program.signal('SIGKILL');
    else if (planned.hurt === 'stop') program.signal('SIGSTOP');
    else for (const proxy of proxies) proxy.cut(silently);
    if (planned.hurt !== 'kill') await pause(planned.lastsMs);
    if (planned.hurt === 'stop') program.signal('SIGCONT');
    else if (planned.hurt === 'partition') for (const proxy of proxies) proxy.mend();
    program.isFaulted = false;
    fault.healed = performance.now();
  }

  /** Another one of the role when the drawn one is hurt already; the same one when all are. */
  #victim({ role, dice }: PlannedFault): Victim | undefined {
    const all = this.cluster.victims.filter((victim) => victim.role === role);
    const well = all.filter(({ program }) => !program.isFaulted);
    const choice = well.length > 0 ? well : all;
    return choice[Math.floor((dice / DICE) * choice.length)];
  }
}

/** An abort ends it early, and is no error. */
async function waitUntil(at: number, signal: AbortSignal): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
}
