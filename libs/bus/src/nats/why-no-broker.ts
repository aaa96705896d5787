/** Why a connection to the broker does not come about, told from the many errors of Node and of the client library. */
import { messageOf } from '@natrium/model';

export interface BrokerTrouble {
  readonly sentence: string;
  /** What to do, for who shows that by itself; left out where the sentence says it, or nothing but a start helps. */
  readonly mend?: string;
}

/** Of the resolver: no such name, and no answer. */
const NO_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
/** Of the client library, where TLS is asked for and the broker has none. */
const IN_CLEAR = /does not support 'tls'/;
const TLS = /tls|ssl|certificate/i;
const REFUSED = /authoriz|authentic/i;

/** @param where The addresses, as they may be shown. */
export function whyNoBroker(error: unknown, where: string): BrokerTrouble {
  const said = messageOf(error).trim();
  const { code, hostname } = Object(error) as { readonly code?: unknown; readonly hostname?: unknown };
  if (NO_NAME.has(code))
    return {
      sentence: `no broker at ${where}: the name ${String(hostname)} is not known (${String(code)}); see nats`,
      mend: 'correct the name in nats, or see that this host can look it up: getent hosts NAME',
    };
  if (IN_CLEAR.test(said))
    return {
      sentence: `the broker at ${where} offers no TLS, which broker_ca or a tls:// in nats asks for`,
      mend: 'give it tls {} in its configuration, with its certificate and key; if it has that, something else answers at this address',
    };
  if (TLS.test(said))
    return {
      sentence: `no TLS with the broker at ${where}: ${said}; see broker_ca`,
      mend: 'give broker_ca the CA that signed the certificate of this broker, and nats a name that stands in that certificate',
    };
  if (REFUSED.test(said)) return { sentence: `the broker at ${where} does not let this user in: ${said}` };
  return { sentence: `no broker answers at ${where}` };
}
