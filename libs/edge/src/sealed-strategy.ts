/**
 * Nest's way in from the sealed bus: one strategy instead of Nest's own NATS transport, which would let a deserializer's
 * failure leave the caller without an answer and a reply's serializer without its receiver.
 */
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Listening, Opened, SealedBus } from '@natrium/bus';
import { UnderWay } from '@natrium/process';
import { type Contract, contracts, RECEIPT, type Route, routes } from '@natrium/wire';
import { firstValueFrom, isObservable, type Observable, throwError } from 'rxjs';

const BY_PLACE = new Map<string, Route>(Object.values(routes).map((route) => [route.at, route]));

export interface StrategyOptions {
  readonly bus: SealedBus;
  /** Subjects' prefix, `nt.<cluster>`. */
  readonly prefix: string;
  /** The queue group of the service. */
  readonly queue: string;
  readonly instance: string;
  readonly onHandlerFailure: (route: string, cause: unknown) => void;
  /** How long a handler took. Not told of returns: their receipts follow the store, which many returns share. */
  readonly onAnswered?: (route: string, seconds: number) => void;
}

export class SealedStrategy extends Server implements CustomTransportStrategy {
  readonly #shared: Listening[] = [];
  readonly #own: Listening[] = [];
  /** What is being answered; not callers of jobs, since other gateways go on with their jobs. */
  readonly #answering = new UnderWay();
  readonly #beginning = new UnderWay();

  constructor(private readonly options: StrategyOptions) {
    super();
  }

  listen(callback: () => void): void {
    for (const [place, handler] of this.messageHandlers) {
      const route = BY_PLACE.get(place);
      if (route === undefined) throw new Error(`a controller handles ${place}, which no route names`);
      this.#listen(route, handler);
    }
    callback();
  }

  /** Takes no more of what any replica may answer; what is asked of this one alone is still heard. */
  async leaveQueue(): Promise<void> {
    await Promise.all(this.#shared.splice(0).map((listening) => listening.close()));
  }

  /** How many questions have no answer yet, and when all have one. */
  get answering(): Pick<UnderWay, 'size' | 'settled'> {
    return this.#answering;
  }

  /**
   * Returns that are not stored yet, and jobs that have not begun yet. They end soon, but while it listens others may come all the time; once
   * they have settled after `close`, all that the service says of them has been handed to the event bus.
   */
  get beginning(): Pick<UnderWay, 'size' | 'settled'> {
    return this.#beginning;
  }

  async close(): Promise<void> {
    await this.leaveQueue();
    await Promise.all(this.#own.map((listening) => listening.close()));
  }

  on(): void {
    throw new Error('the sealed bus has no events of its own');
  }

  unwrap(): never {
    throw new Error('the sealed bus has no server of its own');
  }

  #listen(route: Route, handler: Handler): void {
    const { bus, prefix, queue, instance } = this.options;
    const subject = `${prefix}.${route.at.replace('{instance}', instance)}`;
    const { at, answer } = route;
    const take = answer === RECEIPT ? this.#acknowledging(at, handler) : this.#taking(at, answer, handler);
    const listening = bus.serve(subject, route.shared ? queue : undefined, [route.question], take);
    (route.shared ? this.#shared : this.#own).push(listening);
  }

  #taking(at: string, contract: Contract, handler: Handler): (opened: Opened) => Promise<void> {
    const answer = this.#replying(at, contract, handler);
    const underWay = contract === contracts.news ? this.#beginning : this.#answering;
    return (opened) => underWay.during(() => answer(opened));
  }

  #replying(at: string, contract: Contract, handler: Handler): (opened: Opened) => Promise<void> {
    return async (opened) => {
      const began = performance.now();
      try {
        const answer = await settled(handler(opened));
        if (answer !== undefined) opened.answer(contract, answer);
        this.options.onAnswered?.(at, (performance.now() - began) / 1000);
      } catch (cause) {
        this.options.onHandlerFailure(at, cause);
      }
    };
  }

  /** Messages that came in together are handed on together: there are thousands of returns, and Nest's way to a handler costs as much as opening one. */
  #acknowledging(at: string, handler: Handler): (opened: Opened) => Promise<unknown> | undefined {
    const failed = (cause: unknown) => {
      this.options.onHandlerFailure(at, cause);
    };
    // Until a message is done, only its `acknowledge` is held here: thousands may wait, and V8 would copy whatever is held.
    const afterIts = (end: Promise<unknown>, acknowledge: (() => void) | undefined) =>
      end.then((isDone) => {
        try {
          if (isDone === true) acknowledge?.();
        } catch (cause) {
          failed(cause);
        }
      }, failed);
    const handOn = async (group: readonly Opened[]): Promise<readonly Promise<void>[]> => {
      try {
        const ends = (await settled(handler(group))) as readonly Promise<unknown>[];
        return ends.map((end, n) => afterIts(end, group[n]?.acknowledge));
      } catch (cause) {
        failed(cause);
        return [];
      }
    };
    let waiting: Opened[] = [];
    return (opened) => {
      // With traces on, each message is a step of its own, so none is put together with others.
      if (this.options.bus.tracing.isOn) return this.#untilStored(handOn([opened]));
      waiting.push(opened);
      if (waiting.length > 1) return undefined;
      queueMicrotask(() => {
        const group = waiting;
        waiting = [];
        void this.#untilStored(handOn(group));
      });
      return undefined;
    };
  }

  /** Takes a promise instead of a function: the function would hold its messages while it waits. */
  #untilStored(handed: Promise<readonly Promise<void>[]>): Promise<unknown> {
    return this.#beginning.during(async () => Promise.all(await handed));
  }
}

type Handler = (taken: Opened | readonly Opened[]) => Promise<unknown>;

/** Nest wraps what a handler gives back; an observable that never emits is no answer. */
async function settled(result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? firstValueFrom(value, { defaultValue: undefined }) : value;
}

/** What a handler throws comes to `onHandlerFailure` as it is: Nest would say "Internal server error", and why to a logger that the HTTP API turns off. */
@Catch()
export class AsThrown implements RpcExceptionFilter {
  catch(cause: unknown): Observable<never> {
    return throwError(() => cause);
  }
}
