/**
 * The calls that one HTTP request makes of the gate, one after the other.
 *
 * While nothing is sent, a refusal is told as it is. Once something is, no answer may say that nothing was: a call that nobody could
 * decide on is made again for a while, and what ends the rest names the jids that were begun, since whoever asks for all of it
 * again does that twice.
 *
 * Spec: docs/http-api.md#answers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Follow } from '@natrium/flow';
import { NOT_NOW } from '@natrium/model';
import {
  BadRequestException,
  GatewayTimeoutException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import type { LocalAsk, RunAsk } from './lowstate.js';
import type { Caller, JobNews, MasterCalls, RunNews } from './master-calls.js';

/** A caller whose name is known, which runners' answers carry. */
export interface NamedCaller extends Caller {
  readonly name: () => Promise<string>;
}

/** Milliseconds that only rise, and so many of them that pass. */
export interface Time {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** What the clients ask of the gate for one caller. */
export interface Calls {
  job(ask: LocalAsk, follow: Follow | 'connected'): Promise<JobNews>;
  /** A job that changes nothing: what comes after it may be asked again as if it had not been. */
  look(ask: LocalAsk): Promise<JobNews>;
  run(what: 'run' | 'wheel', ask: RunAsk, follow: 'all' | 'jid'): Promise<RunNews>;
  name(): Promise<string>;
  pause(ms: number): Promise<unknown>;
}

export const REAL_TIME: Time = {
  now: () => performance.now(),
  // It does not keep a gateway that stops alive.
  pause: (ms) => pause(ms, undefined, { ref: false }),
};
/** An acl-service or a broker that starts again is back by then. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 1000;
/** A sentence names so many jids at most, and says how many more there are. */
const MOST_NAMED = 100;
const KINDS = [BadRequestException, UnauthorizedException, InternalServerErrorException, GatewayTimeoutException];

export class CallSequence {
  readonly #begun: string[] = [];

  constructor(
    private readonly calls: Pick<MasterCalls, 'job' | 'run'>,
    private readonly time: Time,
  ) {}

  get hasBegun(): boolean {
    return this.#begun.length > 0;
  }

  by(caller: NamedCaller): Calls {
    return {
      job: (ask, follow) => this.again(() => this.calls.job(ask, follow, caller, this.#begin)),
      look: (ask) => this.again(() => this.calls.job(ask, 'all', caller)),
      run: (what, ask, follow) => this.#run(() => this.calls.run(what, ask, follow, caller)),
      name: () => this.again(() => caller.name()),
      pause: (ms) => this.time.pause(ms),
    };
  }

  /** Does it; once something has begun, for as long as nobody can, again. @throws {HttpException} */
  async again<T>(work: () => Promise<T>): Promise<T> {
    const until = this.time.now() + PATIENCE_MS;
    for (;;) {
      const before = this.#begun.length;
      try {
        return await work();
      } catch (cause) {
        const mayDoAgain = cause instanceof ServiceUnavailableException && before > 0 && this.#begun.length === before;
        if (!mayDoAgain || this.time.now() >= until) throw cause;
        await this.time.pause(AGAIN_MS);
      }
    }
  }

  /** What the client hears of a failure: 503 only where nothing has begun. */
  told(cause: unknown): unknown {
    if (!this.hasBegun || !(cause instanceof HttpException)) return cause;
    const isNotNow = cause instanceof ServiceUnavailableException;
    const Kind = isNotNow ? GatewayTimeoutException : KINDS.find((kind) => cause instanceof kind);
    return Kind === undefined ? cause : new Kind(`${this.#sentence()} Then: ${cause.message}`, { cause });
  }

  /** A run that was granted has begun even where no answer came: it may have been done. */
  async #run(work: () => Promise<RunNews>): Promise<RunNews> {
    const news = await this.again(work);
    if (news.refusal === null || NOT_NOW.includes(news.refusal.code)) this.#begin(news.jid);
    return news;
  }

  readonly #begin = (jid: string): void => {
    this.#begun.push(jid);
  };

  #sentence(): string {
    const more = this.#begun.length - MOST_NAMED;
    const jids = this.#begun.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
    return `Begun, and to be looked at before anything is asked again: jid ${jids}.`;
  }
}
