/** Where a service is to listen, as its command line or the environment says it. */
const MAX_PORT = 65_535;

export interface ListeningAddress {
  /** undefined: not said. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Reads `[HOST:]PORT`; an address of IPv6 may stand in brackets.
 *
 * @returns undefined when it is none.
 */
export function listeningAddress(text: string): ListeningAddress | undefined {
  const [, host, digits] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > MAX_PORT) return undefined;
  return { host: host?.replace(/^\[(.*)\]$/, '$1'), port };
}
