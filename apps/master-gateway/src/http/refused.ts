/** A refusal of the gate as an HTTP status: what Salt's clients expect, with the sentence for the one whom it concerns. */
import { NOT_NOW, type Refusal, type RefusalCode } from '@natrium/model';
import {
  BadRequestException,
  GatewayTimeoutException,
  type HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';

/** The policy's own answer; every other refusal says that nobody could answer, or that the question was wrong. */
export const DENIED: readonly RefusalCode[] = ['not_permitted', 'blacklisted', 'no_peer_policy'];

/** A token that is good for nothing any more; whoever is told so hears the same as of all that is refused. */
export class TokenEnded extends UnauthorizedException {}

/** Nobody can be served now, or this client not: asked again later, it is another matter. */
export class NotNow extends ServiceUnavailableException {
  constructor(readonly refusal: Refusal) {
    super(refusal.sentence);
  }
}

export function httpError(refused: Refusal): HttpException {
  const { code, sentence } = refused;
  if (code === 'bad_credential') return new TokenEnded(sentence);
  if (DENIED.includes(code)) return new UnauthorizedException(sentence);
  if (NOT_NOW.includes(code)) return new NotNow(refused);
  if (code === 'no_runner_available') return new GatewayTimeoutException(sentence);
  // Salt's answer to a runner that is not there.
  if (code === 'unknown_runner') return new InternalServerErrorException(sentence);
  return new BadRequestException(sentence);
}
