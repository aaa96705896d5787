/** The part of a broker's configuration that makes it ask for JWTs. The same file on each node. */

export interface ServerJwts {
  readonly operator: string;
  readonly system: string;
  readonly account: string;
}

/**
 * Text for nats-server's `include`. The `full` resolver keeps accounts on its disk and takes newer ones while it runs:
 * the one in memory would never answer an update, so that nobody could be revoked.
 *
 * @param dir The resolver's own folder, which no two brokers share.
 */
export function resolverConfig(
  { operator, system, account }: ServerJwts,
  names: { readonly account: string; readonly system: string },
  dir: string,
): string {
  return [
    `operator: ${operator}`,
    `system_account: ${names.system}`,
    'resolver {',
    '  type: full',
    `  dir: ${JSON.stringify(dir)}`,
    '  allow_delete: false',
    '  interval: "2m"',
    '}',
    'resolver_preload {',
    `  ${names.system}: ${system}`,
    `  ${names.account}: ${account}`,
    '}',
    '',
  ].join('\n');
}
