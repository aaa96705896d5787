/** Tells a caller that its session has ended, before anything that is wrong with its request. */
import { BadRequestException } from '@nestjs/common';
import type { Request } from 'express';
import type { NamedCaller } from './call-sequence.js';
import { STRANGERS_BODY } from './guards.js';

/**
 * Does the work; when the request turns out to be wrong, a session that has ended counts more: a client that hears 401 logs in again.
 *
 * @param isFirst Whether nothing was sent before, so that it may.
 */
export async function ofLiving<T>(caller: NamedCaller, work: () => T | Promise<T>, isFirst = () => true): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof BadRequestException && isFirst()) await caller.name();
    throw cause;
  }
}

/** Looks at the session before a long body is read: YAML takes the gateway's only thread, 0.4 s for a MiB. */
export async function knownIfLong({ body }: Request, caller: NamedCaller): Promise<void> {
  if (Buffer.isBuffer(body) && body.length > STRANGERS_BODY) await caller.name();
}
