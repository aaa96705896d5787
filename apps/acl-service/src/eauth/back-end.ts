/**
 * What every back end of `external_auth` is: it says who somebody is and in which groups, and nothing of what they may do.
 *
 * A new one is a file here and a line in `registry.ts`. Passwords live in memory only for as long as the call lasts.
 */
import type { Login } from '@natrium/acl';
import type { MasterConfig } from '@natrium/config';
import type { ValueMap } from '@natrium/model';
import type { Logger } from 'pino';

export interface Credentials {
  readonly username: string;
  /** The password or shared secret. */
  readonly secret: string;
}

export interface BackEnd {
  /** A failure answers at a multiple of this many milliseconds; what a failure usually takes has to fit into one. */
  readonly failStepMs?: number;
  /** Only with this it is asked with an empty secret. */
  readonly asksNoSecret?: true;
  /** @returns undefined when the credentials prove nobody; why is for the log of the back end alone, never for who asked. */
  authenticate(credentials: Credentials): Promise<Login | undefined>;
}

export interface BackEndParts {
  readonly config: MasterConfig;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Makes a back end of its settings: the keys of its section that begin with `^`, without that. */
export type BackEndMaker = (settings: ValueMap, parts: BackEndParts) => BackEnd;

/** A back end that cannot work with these settings; nobody can log in through it. */
export class BackEndInvalid extends Error {
  override readonly name = 'BackEndInvalid';
  readonly code = 'ERR_EAUTH_INVALID';
}

/** What the back end asks did not answer as it should; the message holds nothing that a user typed. */
export class BackEndFailed extends Error {
  override readonly name = 'BackEndFailed';
  readonly code = 'ERR_EAUTH_FAILED';
}
