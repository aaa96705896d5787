/** The three keys about TLS as the transport takes them, and what is wrong with their files. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { codeOf, messageOf } from '@natrium/model';
import type { ConfigProblem } from './problem.js';

/** Paths; undefined: no TLS but what the addresses ask for. */
export interface BrokerTlsPaths {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface BrokerTlsKeys {
  readonly broker_ca: string;
  readonly broker_cert: string;
  readonly broker_key: string;
}

export function brokerTls(config: BrokerTlsKeys): BrokerTlsPaths | undefined {
  const given = Object.entries({ ca: config.broker_ca, cert: config.broker_cert, key: config.broker_key });
  const files = given.filter(([, path]) => path !== '');
  return files.length === 0 ? undefined : Object.fromEntries(files);
}

/**
 * The first of the three files that no connection can be made with. Whoever is going to connect asks: a folder that is just being
 * founded has none of them yet, and one that waits for its broker would try on with what never works.
 */
export function brokerTlsProblem(config: BrokerTlsKeys): ConfigProblem | undefined {
  for (const key of ['broker_ca', 'broker_cert', 'broker_key'] as const) {
    const why = config[key] === '' ? undefined : wrongWith(config[key], key !== 'broker_key');
    if (why !== undefined)
      return {
        file: config[key],
        path: [key],
        reason: why,
        mend: 'put it there, for this account to read, or name another',
      };
  }
  return undefined;
}

function wrongWith(file: string, isCertificate: boolean): string | undefined {
  let pem;
  try {
    pem = readFileSync(file);
  } catch (error) {
    return `cannot read the file (${codeOf(error) ?? messageOf(error)})`;
  }
  try {
    if (isCertificate) new X509Certificate(pem);
    return undefined;
  } catch {
    return 'this is no certificate in PEM';
  }
}
