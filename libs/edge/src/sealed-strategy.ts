/**
 * Nest's way in from the sealed bus: one strategy instead of Nest's own NATS transport, which would let a deserializer's
 * failure leave the caller without an answer and a reply's serializer without its receiver.
 */
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Listening, Opened, SealedBus } from '@natrium/bus';
import { RECEIPT, type Route, routes } from '@natrium/wire';
import { firstValueFrom, isObservable } from 'rxjs';

const BY_PLACE = new Map<string, Route>(Object.values(routes).map((route) => [route.at, route]));

export interface StrategyOptions {
  readonly bus: SealedBus;
  /** Subjects' prefix, `nt.<cluster>`. */
  readonly prefix: string;
  /** The queue group of the service. */
  readonly queue: string;
  readonly instance: string;
  readonly onHandlerFailure: (route: string, cause: unknown) => void;
}

export class SealedStrategy extends Server implements CustomTransportStrategy {
  readonly #listening: Listening[] = [];

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

  async close(): Promise<void> {
    await Promise.all(this.#listening.map((listening) => listening.close()));
  }

  on(): void {
    throw new Error('the sealed bus has no events of its own');
  }

  unwrap(): never {
    throw new Error('the sealed bus has no server of its own');
  }

  #listen(route: Route, handler: (opened: Opened) => Promise<unknown>): void {
    const { bus, prefix, queue, instance } = this.options;
    const subject = `${prefix}.${route.at.replace('{instance}', instance)}`;
    const listening = bus.serve(subject, route.shared ? queue : undefined, [route.question], async (opened) => {
      try {
        const answer = await settled(handler(opened));
        if (route.answer !== RECEIPT) {
          if (answer !== undefined) opened.answer(route.answer, answer);
        } else if (answer === true) opened.acknowledge();
      } catch (cause) {
        this.options.onHandlerFailure(route.at, cause);
      }
    });
    this.#listening.push(listening);
  }
}

/** Nest wraps what a handler gives back; an observable that never emits is no answer. */
async function settled(result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? firstValueFrom(value, { defaultValue: undefined }) : value;
}
