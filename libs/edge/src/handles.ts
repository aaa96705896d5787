/** Marks a controller's method as the one for its routes; message and answer have the routes' types, or it doesn't compile. */
import { MessagePattern } from '@nestjs/microservices';
import type { Opened } from '@natrium/bus';
import type { AnswerOf, Body, QuestionOf, RECEIPT, Route } from '@natrium/wire';

/** What a handler takes: one message, or where a receipt is the answer all that came in at once. */
export type Taken<R extends Route> =
  AnswerOf<R> extends typeof RECEIPT ? readonly Opened<QuestionOf<R>>[] : Opened<QuestionOf<R>>;

/**
 * What a handler gives back: the answer's body, or nothing when it answers later (or several times) itself; where a receipt is the
 * answer, whether it is given, for each message.
 */
export type Answered<R> =
  AnswerOf<R> extends typeof RECEIPT
    ? readonly Promise<boolean>[]
    : Promise<Body<AnswerOf<R>> | undefined> | Promise<void>;

export function Handles<R extends Route>(
  ...routes: readonly R[]
): <H extends (taken: Taken<R>) => Answered<R>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void {
  return (target, key, descriptor) => {
    MessagePattern(routes.map(({ at }) => at))(target, key, descriptor);
  };
}
