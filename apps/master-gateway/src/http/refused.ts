/** A refusal of the gate as an HTTP status: what Salt's clients expect, with the sentence for the one whom it concerns. */
import type { Refusal, RefusalCode } from '@natrium/model';
import {
  BadRequestException,
  GatewayTimeoutException,
  type HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';

const DENIED: readonly RefusalCode[] = ['not_permitted', 'blacklisted', 'no_peer_policy'];
/** Whoever asks again later may be answered otherwise. */
export const NOT_NOW: readonly RefusalCode[] = ['acl_unavailable', 'store_unavailable', 'slow_down'];

/** A token that is good for nothing any more; whoever is told so hears the same as of all that is refused. */
export class TokenEnded extends UnauthorizedException {}

export function httpError({ code, sentence }: Refusal): HttpException {
  if (code === 'bad_credential') return new TokenEnded(sentence);
  if (DENIED.includes(code)) return new UnauthorizedException(sentence);
  if (NOT_NOW.includes(code)) return new ServiceUnavailableException(sentence);
  if (code === 'no_runner_available') return new GatewayTimeoutException(sentence);
  // Salt's answer to a runner that is not there.
  if (code === 'unknown_runner') return new InternalServerErrorException(sentence);
  return new BadRequestException(sentence);
}
