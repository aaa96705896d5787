/** What a service comes onto the bus with. */
import type { BrokerTls, Tracing } from '@natrium/bus';
import type { RoleName } from '@natrium/envelope';
import type { Logger } from 'pino';

/** Counted in the place of its reason where the sender is told to bring his announcement or which key is right, and sends it again: no fault of anybody. */
export const ASKED_AGAIN = 'asked_again';

export interface RoleOptions {
  readonly role: RoleName;
  readonly servers: readonly string[];
  readonly tls?: BrokerTls | undefined;
  /** `jwt`: the broker wants the role's credentials. */
  readonly brokerAuth?: 'none' | 'jwt';
  readonly cluster: string;
  readonly pkiDir: string;
  readonly cacheDir: string;
  readonly epochMs: number;
  readonly overlapMs: number;
  readonly skewMs: number;
  readonly replicas: number;
  readonly log: Logger;
  readonly onUnopened?: ((reason: string) => void) | undefined;
  /** For the instance that this is; no traces when it is left out. */
  readonly openTracing?: ((instance: string) => Promise<Tracing>) | undefined;
}
