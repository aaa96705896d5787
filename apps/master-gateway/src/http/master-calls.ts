/**
 * Jobs and runs on behalf of an external user: the same flows, and so the same gate, as for everybody else. The request carries
 * no signature; the token beside it goes to the acl-service, which decides.
 */
import { digestOf, readAsked, type Tracing } from '@natrium/bus';
import { encodeRequest, EncodingError, randomBytes, type Wire } from '@natrium/envelope';
import {
  CONNECTED,
  type Follow,
  GatheredNews,
  KNOWN_KEYWORDS,
  NO_NEWS,
  type News,
  type PeerPublish,
  type PeerRun,
  type Ran,
  type SignedRequest,
  TOO_FAST,
  MAY_BE_SILENT,
  WAITS,
} from '@natrium/flow';
import {
  lifetimeOf,
  type Refusal,
  refusal,
  type RefusalCode,
  type Request,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { BadRequestException } from '@nestjs/common';
import type { Refusals } from '../callers/refusals.js';
import type { LocalAsk, RunAsk } from './lowstate.js';
import { DENIED, httpError } from './refused.js';
import { type Allowance, tokenCredential } from './sessions.js';

/** Who asks. */
export interface Caller {
  readonly token: string;
  /** The HTTP request's id, which the audit has too. */
  readonly about: string;
}

export interface JobNews {
  readonly jid: string;
  readonly minions: readonly string[];
  readonly missing: readonly string[];
  readonly returns: News['returns'];
  /** Who has not returned at the end; of a job that is followed, nobody who is at work. */
  readonly absent: NonNullable<News['end']>;
}

export type Verdict =
  | { readonly allowed: true; readonly rule: string; readonly minions: readonly string[]; readonly missing: readonly string[] }
  | { readonly allowed: false; readonly code: RefusalCode; readonly sentence: string }; // prettier-ignore

export interface RunNews {
  readonly jid: string;
  /** null: it was only started. */
  readonly outcome: Ran['outcome'];
  readonly refusal: Refusal | null;
}

export interface CallPorts {
  readonly publish: PeerPublish;
  readonly run: PeerRun;
  readonly now: () => number;
  readonly tracing: Tracing;
  readonly allowance: Pick<Allowance, 'take'>;
  readonly refusals: Pick<Refusals, 'count'>;
}

type Asked = Pick<Request, 'funs' | 'tgt' | 'tgtType' | 'returner' | 'timeout'> & {
  readonly args: readonly (readonly Value[])[];
};

export class MasterCalls {
  constructor(private readonly ports: CallPorts) {}

  /** Milliseconds since 1970, as the cluster has them. */
  get now(): number {
    return this.ports.now();
  }

  /** Whether it fits into a request; nothing is asked. @throws {BadRequestException} */
  check(what: Request['what'], ask: LocalAsk | RunAsk, { about }: Caller): void {
    const [asked, options] = 'fun' in ask ? [runAsked(ask), runOptions(what)] : [ask, jobOptions(ask)];
    this.#read(what, asked, about, options);
  }

  /**
   * @param follow `connected`: a preview of those who are connected now.
   * @param onBegun Hears the job's id when it is sent to anybody.
   * @throws {HttpException} When it is refused.
   */
  async job(
    ask: LocalAsk,
    follow: Follow | 'connected',
    caller: Caller,
    onBegun: (jid: string) => void = () => undefined,
  ): Promise<JobNews> {
    const news = await this.#publish(ask, follow, caller, onBegun);
    if (news.refusal !== null) throw httpError(news.refusal as Refusal);
    return jobNews(news);
  }

  /** What the gate says of a job: nothing of it is written, and nothing sent. @throws {HttpException} When it says nothing. */
  async verdict(ask: LocalAsk, caller: Caller): Promise<Verdict> {
    const { refusal: refused, started } = await this.#publish(ask, 'preview', caller, () => undefined);
    if (refused === null) {
      const { rule = '', minions = [], missing = [] } = started ?? {};
      return { allowed: true, rule, minions: [...minions].sort(), missing: [...missing].sort() };
    }
    const { code, sentence } = refused as Refusal;
    if (!DENIED.includes(code)) throw httpError({ code, sentence });
    return { allowed: false, code, sentence };
  }

  /**
   * @param follow `jid`: resolves as soon as it is granted.
   * @returns A refusal too, of what was granted: whether anything was done, its code says.
   * @throws {HttpException} When it is refused before it is granted.
   */
  run(what: 'run' | 'wheel', ask: RunAsk, follow: 'all' | 'jid', caller: Caller): Promise<RunNews> {
    const signed = this.#request(what, runAsked(ask), caller, runOptions(what));
    return this.#traced(
      signed,
      () =>
        new Promise((resolve, reject) => {
          let isGranted = false;
          const tell = ({ refusal: refused, jid, outcome }: Ran) => {
            this.ports.refusals.count(refused);
            if (refused === null || isGranted) resolve({ jid, outcome, refusal: refused as Refusal | null });
            else reject(httpError(refused as Refusal));
          };
          const onGranted = () => {
            isGranted = true;
          };
          this.ports.run.handle(signed, follow, tell, onGranted).catch(reject);
        }),
    );
  }

  /** Nobody before this gateway has a trace of it. */
  async #traced<T>({ request }: SignedRequest, work: () => Promise<T>): Promise<T> {
    const step = this.ports.tracing.begin('http', { funs: request.funs });
    try {
      return await step.within(work);
    } finally {
      step.end();
    }
  }

  #publish(ask: LocalAsk, wanted: Follow | 'connected', caller: Caller, onBegun: (jid: string) => void): Promise<News> {
    const follow = wanted === 'connected' ? 'preview' : wanted;
    const how = wanted === 'all' ? { [WAITS]: true } : wanted === 'connected' ? { [CONNECTED]: true } : {};
    const signed = this.#request('job', ask, caller, { ...how, ...jobOptions(ask) });
    return this.#traced(
      signed,
      () =>
        new Promise((resolve, reject) => {
          const gathered = new GatheredNews(NO_NEWS);
          const tell = (news: News) => {
            if (follow !== 'preview' && (news.started?.minions.length ?? 0) > 0) onBegun(news.started?.jid ?? '');
            this.ports.refusals.count(news.refusal);
            gathered.add(news);
            const { all } = gathered;
            const isBegun = follow !== 'all' && all.started !== null;
            if (all.refusal !== null || all.end !== null || isBegun) resolve(all);
          };
          this.ports.publish.handle(signed, false, follow, tell).catch(reject);
        }),
    );
  }

  #request(what: Request['what'], asked: Asked, { token, about }: Caller, options: ValueMap): SignedRequest {
    if (!this.ports.allowance.take(`token ${digestOf(Buffer.from(token))}`)) {
      this.ports.refusals.count(TOO_FAST);
      throw httpError(TOO_FAST);
    }
    const { bytes, request } = this.#read(what, asked, about, options);
    return {
      bytes,
      signature: null,
      credential: tokenCredential(token),
      grantRun: null,
      callerKey: null,
      request,
      digest: digestOf(bytes),
    };
  }

  #read(
    what: Request['what'],
    asked: Asked,
    about: string,
    options: ValueMap,
  ): Pick<SignedRequest, 'bytes' | 'request'> {
    const { funs, args, tgt, tgtType, returner, timeout } = asked;
    const bytes = encoded({
      id: randomBytes(16),
      what,
      funs,
      args: args.map((list) => list.map((value) => toPlain(value) as Wire)),
      tgt,
      tgtType,
      returner,
      returnerOptions: {},
      timeout,
      options: { ...options, http_request: about },
      issued: this.ports.now(),
      // What is left of a job is asked for with the same request; a run is granted at once or not at all, however long it takes.
      lifetime: lifetimeOf(what === 'job' ? timeout : 0),
    });
    const request = readAsked(bytes);
    if (request === undefined) throw httpError(NOT_A_REQUEST);
    return { bytes, request };
  }
}

function encoded(request: Parameters<typeof encodeRequest>[0]): Uint8Array {
  try {
    return encodeRequest(request);
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new BadRequestException('The lowstate does not fit into a request', { cause });
    if (cause instanceof EncodingError)
      throw new BadRequestException(`The lowstate fits into no request: ${cause.message}`, { cause });
    throw cause;
  }
}

function jobOptions({ delimiter, silentMs, metadata }: LocalAsk): ValueMap {
  return {
    ...(silentMs === undefined ? {} : { [MAY_BE_SILENT]: silentMs }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(metadata === null ? {} : { metadata: toPlain(metadata) }),
  };
}

function runAsked({ fun, args, timeout }: RunAsk): Asked {
  return { funs: [fun], args: [args], tgt: '', tgtType: 'glob', returner: '', timeout };
}

/** Salt's API gives a runner no keyword that it does not know; its command line, and the wheel, refuse those. */
function runOptions(what: Request['what']): ValueMap {
  return what === 'run' ? { [KNOWN_KEYWORDS]: true } : {};
}

const NOT_A_REQUEST = refusal('bad_request', 'The lowstate is not one that any party would accept');

function jobNews({ started, returns, end }: News): JobNews {
  const { jid = '', minions = [], missing = [] } = started ?? {};
  return { jid, minions, missing, returns, absent: end ?? [] };
}
