/** Marks a controller's method as the one for its routes; message and answer have the routes' types, or it doesn't compile. */
import { MessagePattern } from '@nestjs/microservices';
import type { Opened } from '@natrium/bus';
import type { AnswerOf, Body, QuestionOf, Route } from '@natrium/wire';

/** What a handler gives back: the answer's body, or nothing when it answers later (or several times) itself. */
export type Answered<R> = Promise<Body<AnswerOf<R>> | undefined> | Promise<void>;

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
