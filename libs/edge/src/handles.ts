/** Marks a controller's method as the one for a route; the message and the answer have the route's types, or it doesn't compile. */
import { MessagePattern } from '@nestjs/microservices';
import type { Opened } from '@natrium/bus';
import type { AnswerOf, Body, QuestionOf, Route } from '@natrium/wire';

/** What a handler gives back: the answer's body, or nothing when it answers later (or several times) itself. */
export type Answered<R> = Promise<Body<AnswerOf<R>> | undefined> | Promise<void>;

export function Handles<R extends Route>(
  route: R,
): <H extends (opened: Opened<QuestionOf<R>>) => Answered<R>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void {
  return (target, key, descriptor) => {
    MessagePattern(route.at)(target, key, descriptor);
  };
}
