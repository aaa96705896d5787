/**
 * This minion's mine: `mine_functions` run at the start and every `mine_interval` unless `mine_enabled` says no, and what the `mine` module asks for.
 *
 * Spec: spec/envelope.md#mine.
 */
import { BACK_MS } from '@natrium/bus';
import {
  countValues,
  isMap,
  jidOf,
  MAX_KEPT_VALUES,
  refusal,
  type RefusalCode,
  type Value,
  type ValueMap,
} from '@natrium/model';
import type { MineAnswer, MineCall, MineItem, MinePort, MineRead, Outcome } from '@natrium/modules';
import { type Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { LiveLink } from '../link/live-link.js';

const ANSWER_MS = 5000;
const MINUTE_MS = 60_000;
/** The master would not read them, and so not answer. */
const TOO_MANY = refusal(
  'bad_request',
  `a mine holds at most ${String(MAX_KEPT_VALUES)} values, and more are in what is for it; nothing was kept`,
);
const NOTHING = { items: [], names: [], tgt: '', tgtType: 'glob' };

type Ask = Body<typeof contracts.mine>;

interface MineOptions {
  readonly link: LiveLink;
  readonly log: Logger;
  /** Of the configuration. */
  readonly functions: Value;
  /** Whether it is updated by itself. */
  readonly isEnabled: boolean;
  readonly intervalMinutes: number;
  readonly pillar: () => ValueMap;
  readonly run: MinePort['run'];
}

export class Mine implements MinePort {
  #timer: NodeJS.Timeout | undefined;
  #isUpdating = false;

  constructor(private readonly options: MineOptions) {}

  /** The first time now. */
  start(): void {
    if (!this.options.isEnabled) return;
    this.#timer = setInterval(() => void this.#updateAlone(), this.options.intervalMinutes * MINUTE_MS).unref();
    void this.#updateAlone();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  functions(): Value {
    const own = this.options.functions;
    const fromPillar = this.options.pillar()['mine_functions'];
    return isMap(fromPillar) && isMap(own) ? { ...fromPillar, ...own } : own;
  }

  run(fun: string, args: readonly Value[], call: MineCall): Promise<Outcome> {
    return this.options.run(fun, args, call);
  }

  keep(items: readonly MineItem[], replace: boolean): Promise<MineAnswer> {
    const values = items.map(({ value }) => value);
    if (countValues(values, MAX_KEPT_VALUES) > MAX_KEPT_VALUES)
      return Promise.resolve({ ok: false, refusal: TOO_MANY });
    return this.#ask({ ...NOTHING, what: replace ? 'replace' : 'put', items: [...items] });
  }

  drop(names: readonly string[]): Promise<MineAnswer> {
    return this.#ask({ ...NOTHING, what: 'delete', names: [...names] });
  }

  read({ names, tgt, tgtType }: MineRead): Promise<MineAnswer> {
    return this.#ask({ what: 'get', items: [], names: [...names], tgt, tgtType });
  }

  /** Nothing else ends a function that hangs: each further update would leave one more. */
  async #updateAlone(): Promise<void> {
    if (this.#isUpdating) {
      this.options.log.warn('the mine is still being updated; this time it is left as it is');
      return;
    }
    this.#isUpdating = true;
    await this.#update().finally(() => (this.#isUpdating = false));
  }

  async #update(): Promise<void> {
    const functions = this.functions();
    if (isMap(functions) && Object.keys(functions).length === 0) return;
    const call = { jid: jidOf(Date.now() * 1000), signal: new AbortController().signal };
    const { ret, success } = await this.options.run('mine.update', [], call);
    if (!success) this.options.log.error({ ret }, 'the mine could not be updated');
  }

  #ask(body: Ask): Promise<MineAnswer> {
    return this.options.link.steady(() => this.#askNow(body));
  }

  async #askNow(body: Ask): Promise<MineAnswer> {
    const { link } = this.options;
    const subject = link.subjects.upAcl(link.own.fp, 'mine');
    const asked = { contract: contracts.mine, body, subject, to: () => link.services('acl'), backMs: BACK_MS };
    const answer = await link.bus.ask(asked, contracts.answer, ANSWER_MS);
    if (!answer.ok)
      return { ok: false, refusal: refusal('master_unreachable', `the master did not answer (${answer.error})`) };
    const { refusal: refused, result } = answer.value.body;
    if (refused === null) return { ok: true, value: result };
    return { ok: false, refusal: refusal(refused.code as RefusalCode, refused.sentence) };
  }
}
