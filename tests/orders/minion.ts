/** A minion that runs each request once, and sends its return until a gateway has stored it. */
import { fromHex } from '@natrium/envelope';
import type { Returned } from '@natrium/flow';
import type { AnyGateway, AnyMinion, Run } from './parties.js';
import type { World } from './world.js';

interface OwnRun extends Run {
  to: AnyGateway;
  state: 'running' | 'done' | 'stored';
  status: 'done' | 'interrupted';
}

const RUN_MS = [5, 50, 500, 2000, 6000, 15_000];
const LOST = 0.3;
const INTERRUPTED = 0.4;
const AGAIN_MS = [5000, 5000, 10_000, 10_000, 10_000, 20_000];
const AT_MOST_MS = 40_000;

export class Minion implements AnyMinion {
  readonly #runs = new Map<string, OwnRun>();

  constructor(
    private readonly world: World,
    readonly id: string,
    readonly key: string,
  ) {}

  get ran(): readonly Run[] {
    return [...this.#runs.values()];
  }

  isRunning(digest: string): boolean {
    return this.#runs.get(digest)?.state === 'running';
  }

  hear(from: AnyGateway, jid: string, digest: string): void {
    const { world } = this;
    const run = this.#runs.get(digest);
    world.sentUnder(digest, jid);
    world.say(`${this.id} gets ${jid} from ${from.instance}, ${run?.state ?? 'not known yet'}`);
    if (run === undefined) {
      if (this.#isExpired()) this.#say(from, said({ jid, digest }, 'refused', ''));
      else this.#run({ jid, digest, to: from, state: 'running', status: 'done' });
      return;
    }
    run.to = from;
    if (run.state === 'done') this.#sendOnce(run);
    else if (run.state === 'stored') this.#say(from, said({ jid, digest }, 'already_returned', ''));
  }

  #isExpired(): boolean {
    const { ask, time } = this.world;
    return ask !== undefined && time.wall > ask.request.issued + ask.request.lifetime;
  }

  #run(run: OwnRun): void {
    const { world } = this;
    this.#runs.set(run.digest, run);
    setTimeout(() => {
      if (world.interrupts && world.dice.chance(INTERRUPTED)) {
        run.status = 'interrupted';
        world.say(`${this.id} was interrupted`);
      }
      run.state = 'done';
      this.#send(run, 0);
    }, world.dice.oneOf(RUN_MS));
  }

  #send(run: OwnRun, times: number): void {
    if (run.state !== 'done') return;
    this.#sendOnce(run);
    const againMs = (AGAIN_MS[times] ?? AT_MOST_MS) * (1 + this.world.dice.from(0, 100) / 200);
    setTimeout(() => this.#send(run, times + 1), againMs + 5000);
  }

  #sendOnce(run: OwnRun): void {
    const { world } = this;
    const to = run.to.isDead ? world.dice.anyOf(world.alive) : run.to;
    if (to === undefined) return;
    this.#say(to, said(run, run.status, this.id), (isTaken) => {
      if (!isTaken || run.state !== 'done') return;
      run.state = 'stored';
      world.say(`${this.id} hears that its return is stored by ${to.instance}`);
    });
  }

  #say(to: AnyGateway, returned: Returned, hear: (isTaken: boolean) => void = () => undefined): void {
    const { world } = this;
    if (this.#isLost()) return;
    setTimeout(
      () => {
        if (to.isDead || !to.isUp) return;
        const cutMs = world.cutMs(to);
        if (cutMs === 0) void this.#deliver(to, returned, hear);
        else if (world.dice.chance(0.5)) setTimeout(() => this.#say(to, returned, hear), cutMs);
      },
      world.dice.from(1, 8),
    );
  }

  async #deliver(to: AnyGateway, returned: Returned, hear: (isTaken: boolean) => void): Promise<void> {
    const { world } = this;
    const isTaken = await to.take(returned, this.key);
    if (!to.isDead && !this.#isLost()) world.after(world.cutMs(to) + 2, () => hear(isTaken));
  }

  #isLost(): boolean {
    const { trouble, dice } = this.world;
    return trouble.strikes('message') && dice.chance(LOST);
  }
}

function said({ jid, digest }: Run, status: Returned['status'], ret: string): Returned {
  const code = status === 'refused' ? 'request_expired' : null;
  const outcome = { ret, retcode: 0, success: true, out: null };
  return { jid, digest: fromHex(digest), status, code, outcome };
}
