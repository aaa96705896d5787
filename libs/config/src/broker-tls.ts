/** The three keys about TLS as the transport takes them. */

/** Paths; undefined: no TLS but what the addresses ask for. */
export interface BrokerTlsPaths {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export function brokerTls(config: {
  readonly broker_ca: string;
  readonly broker_cert: string;
  readonly broker_key: string;
}): BrokerTlsPaths | undefined {
  const given = Object.entries({ ca: config.broker_ca, cert: config.broker_cert, key: config.broker_key });
  const files = given.filter(([, path]) => path !== '');
  return files.length === 0 ? undefined : Object.fromEntries(files);
}
