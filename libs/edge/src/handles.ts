/** Marks a controller's method as the one for its routes; message and answer have the routes' types, or it doesn't compile. */
import { MessagePattern } from '@nestjs/microservices';
import type { Opened } from '@natrium/bus';
import type { AnswerOf, Body, QuestionOf, RECEIPT, Route } from '@natrium/wire';

/**
 * What a handler gives back: the answer's body, or nothing when it answers later (or several times) itself; where a receipt is the
 * answer, whether it is given.
 */
export type Answered<R> =
  AnswerOf<R> extends typeof RECEIPT ? Promise<boolean> : Promise<Body<AnswerOf<R>> | undefined> | Promise<void>;

export function Handles<R extends Route>(
  ...routes: readonly R[]
): <H extends (opened: Opened<QuestionOf<R>>) => Answered<R>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void {
  return (target, key, descriptor) => {
    MessagePattern(routes.map(({ at }) => at))(target, key, descriptor);
  };
}
