/** Addresses of the broker: checked, with the port filled in. */
import { err, ok, type Result } from '@natrium/model';
import type { Fault } from './problem.js';

/** Where `natriumctl up` and the demo put their broker. */
export const LOCAL_BROKER = 'nats://127.0.0.1:4222';

/** Salt's own ports; an address of a Salt file may carry them, and no broker listens there. */
const SALT_PORTS: ReadonlySet<string> = new Set(['4505', '4506']);

/**
 * `nats://host:port` of an address that may lack the scheme or the port.
 *
 * A fault never holds the address: it may carry a password.
 */
export function brokerUrl(address: string, port: number): Result<string, Fault> {
  const url = parse(/^[a-z]+:\/\//i.test(address) ? address : `nats://${address}`);
  if (url === undefined || url.hostname === '' || !['', '/'].includes(url.pathname + url.search + url.hash)) {
    return err({ reason: 'this is no address of a broker', mend: 'write it as nats://host:4222' });
  }
  if (!['nats:', 'tls:'].includes(url.protocol)) {
    return err({ reason: `the scheme ${url.protocol}// is not spoken here`, mend: 'use nats:// or tls://' });
  }
  const account = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
  return ok(`${url.protocol}//${account}${url.hostname}:${url.port === '' ? String(port) : url.port}`);
}

/** The broker's address on a host that Salt's `master` names: `host`, `host:port`, or a bare IPv6 address. */
export function masterUrl(host: string, port: number): Result<string, Fault> {
  const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host);
  const url = brokerUrl(bareIpv6 ? `[${host}]` : host, port);
  if (!url.ok) return url;
  return ok(
    url.value.replace(/:(\d+)$/, (whole, given: string) => (SALT_PORTS.has(given) ? `:${String(port)}` : whole)),
  );
}

/** An address as it may be shown: a broker's token or password in it is a secret. */
export function shownAddress(address: string): string {
  return address.replace(/(?<=^(?:[a-z]+:\/\/)?)[^/?#]*@/i, '');
}

function parse(address: string): URL | undefined {
  return !/\s/.test(address) && URL.canParse(address) ? new URL(address) : undefined;
}
