/**
 * Thrown by a handler where no answer is the right one, as nobody can tell now what became of the request: whoever asked hears nothing and
 * asks again. It is no fault of the program.
 */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly code = 'ERR_UNANSWERED';
}
