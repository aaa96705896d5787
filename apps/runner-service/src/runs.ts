/**
 * A granted run: the grant is checked again, the run is taken on once, the runner or wheel function runs, its outcome is the
 * answer. What concerns keys is not done here: it goes to the authority as the caller signed it.
 *
 * Spec: spec/envelope.md#grants (grant-run), #durability.
 */
import { digestOf, type Opened, readAsked } from '@natrium/bus';
import { encodedSize, type Grant, type Wire } from '@natrium/envelope';
import { checkGrantRun, Lanes, type RoleLink } from '@natrium/edge';
import { KNOWN_KEYWORDS, refusedRun, sendable } from '@natrium/flow';
import { fromPlain, type Refusal, refusal, refuse, type Request, type Result } from '@natrium/model';
import { knownArguments, type Registry } from '@natrium/modules';
import type { RunnerContext, RunnerHost } from '@natrium/runners';
import { type Body, contracts } from '@natrium/wire';
import { handOn } from './authority.js';
import { askFellow } from './fellow-run.js';
import { masterPort } from './master-port.js';
import { MAX_ANSWER, type RunEnds } from './run-ends.js';
import type { TakenRuns } from './taken-runs.js';

type Ran = Body<typeof contracts.ran>;
type Run = Body<typeof contracts.run>;

const ALIVE_MS = 1000;
/** So long a caller may still ask again: twice the time that he waits for a gateway that says nothing. */
const ASKED_AGAIN_MS = 30_000;
const ALREADY_RAN = refusal('already_ran', 'this very request was run before; ask again');
const ALIVE = { refusal: null, jid: '', outcome: null };

/** `refused`: it was granted and taken, and nothing was run. */
export const RUN_OUTCOMES = ['ok', 'failed', 'refused'] as const;

interface Checked {
  readonly grant: Grant;
  readonly request: Request;
  readonly digest: string;
}

export class Runs {
  /** Runs under way, by jid. */
  readonly #running = new Set<string>();
  /** Of the events that its runs fire. */
  readonly #lanes = new Lanes();
  /**
   * By digest: what runs here, and what has ended and is not stored yet, or was stored by another gateway than its own. Whoever asks
   * for the same run again gets that answer.
   */
  readonly #known = new Map<string, Promise<Ran>>();

  /** How what was taken here ended since the start. */
  readonly counts = new Map<(typeof RUN_OUTCOMES)[number], number>();

  constructor(
    private readonly link: RoleLink,
    private readonly taken: Pick<TakenRuns, 'take' | 'takenBy'>,
    private readonly registries: Record<'run' | 'wheel', Registry<RunnerContext>>,
    private readonly host: RunnerHost,
    private readonly ends: Pick<RunEnds, 'see'>,
  ) {}

  /** Takes another registry of runners for the runs to come. */
  use(runners: Registry<RunnerContext>): void {
    this.registries.run = runners;
  }

  /** How many are under way here. */
  get size(): number {
    return this.#running.size;
  }

  /** Which of these are under way here. */
  running(jids: readonly string[]): string[] {
    return jids.filter((jid) => this.#running.has(jid));
  }

  handle(opened: Opened<typeof contracts.run>): Promise<Ran> {
    return this.#saying(opened, () => this.#handle(opened));
  }

  /** Another instance was asked for what this one has taken. */
  again(opened: Opened<typeof contracts.run>): Promise<Ran> {
    return this.#saying(opened, async () => {
      const { body } = opened;
      const checked = this.#check(body);
      if (!checked.ok) return refusedRun(body.jid, checked.error);
      return this.#known.get(checked.value.digest) ?? refusedRun(body.jid, ALREADY_RAN);
    });
  }

  /** While it runs, who asked hears at once and then every second that this instance is there. */
  async #saying(opened: Opened<typeof contracts.run>, work: () => Promise<Ran>): Promise<Ran> {
    const { jid } = opened.body;
    const tell = () => {
      opened.answer(contracts.ran, ALIVE);
    };
    this.#running.add(jid);
    tell();
    const alive = setInterval(tell, ALIVE_MS);
    try {
      return await work();
    } finally {
      clearInterval(alive);
      this.#running.delete(jid);
    }
  }

  async #handle(opened: Opened<typeof contracts.run>): Promise<Ran> {
    const { body } = opened;
    const checked = this.#check(body);
    if (!checked.ok) return refusedRun(body.jid, checked.error);
    const { digest } = checked.value;
    const known = this.#known.get(digest);
    const running = known ?? this.#begin(checked.value, body);
    const seen = this.ends.see(opened, running);
    if (known !== undefined) return known;
    this.#known.set(digest, running);
    void seen.then((wasLost) => {
      // Who waits for it asks another gateway after three silent seconds.
      if (wasLost) setTimeout(() => this.#known.delete(digest), ASKED_AGAIN_MS).unref();
      else this.#known.delete(digest);
    });
    return running;
  }

  async #begin(checked: Checked, body: Run): Promise<Ran> {
    const { digest } = checked;
    const { instance } = this.link.own;
    const taken = await this.taken.take({ digest, instance, jid: body.jid, started: this.link.clock.now() });
    if (taken === 'taken') return this.#count(await this.#run(checked, body));
    if (taken !== 'already') return this.#count(refusedRun(body.jid, taken));
    const by = await this.taken.takenBy(digest);
    const told = by === undefined || by === instance ? undefined : await askFellow(this.link, by, body);
    return told ?? refusedRun(body.jid, ALREADY_RAN);
  }

  #count(ran: Ran): Ran {
    const outcome = ran.refusal !== null ? 'refused' : ran.outcome?.success === true ? 'ok' : 'failed';
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
    return ran;
  }

  #check({ request: bytes, grant: said, jid }: Run): Result<Checked, Refusal> {
    const read = checkGrantRun(this.link, { request: bytes, grant: said });
    if (!read.ok) return read;
    if (read.value.jid !== jid) return refuse('grant_jid', 'the grant-run is for another job');
    const request = readAsked(bytes);
    if (request?.what !== 'run' && request?.what !== 'wheel') {
      return refuse('bad_request', 'the request is not one for a runner or the wheel');
    }
    return { ok: true, value: { grant: read.value, request, digest: digestOf(bytes) } };
  }

  async #run({ grant, request }: Checked, body: Run): Promise<Ran> {
    const [fun = ''] = request.funs;
    const [args = []] = request.args;
    if (request.what === 'wheel' && fun.startsWith('key.')) return handOn(this.link, body);
    const registry = this.registries[request.what === 'wheel' ? 'wheel' : 'run'];
    if (!registry.has(fun)) {
      const none =
        request.what === 'wheel'
          ? `there is no wheel function ${fun}; doc.wheel lists them`
          : `there is no runner ${fun}; natrium-run -d lists them`;
      return refusedRun(body.jid, refusal('unknown_runner', none));
    }
    const context = {
      caller: grant.caller,
      jid: body.jid,
      seconds: request.timeout,
      master: masterPort(this.link, { request: body.request, grant: body.grant }, grant.caller, this.#lanes),
      host: this.host,
      signal: AbortSignal.timeout(Math.max(1, request.timeout * 1000)),
    };
    const sent = args.map((arg) => fromPlain(arg));
    const values = request.options[KNOWN_KEYWORDS] === true ? knownArguments(registry.params(fun) ?? [], sent) : sent;
    const execute = () => registry.execute(fun, values, context);
    const outcome = await this.link.bus.tracing.step('run', { jid: body.jid, funs: [fun] }, execute);
    const { ret, retcode, success, out } = outcome;
    const answer = { ret, retcode, success, out: out ?? null };
    const said = sendable(answer, (plain) => encodedSize(plain as Wire), { maxBytes: MAX_ANSWER });
    return { refusal: null, jid: body.jid, outcome: said };
  }
}
