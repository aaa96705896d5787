/** How a process connects to the broker, and what it is told of its connection. */
import { X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as TlsConnectionOptions, type PeerCertificate } from 'node:tls';
import type { NatsKey } from '@natrium/envelope';
import { sample } from '@natrium/model';
import type { ConnectionOptions, TlsOptions } from '@nats-io/transport-node';

const PING_MS = 5000;

/** A user of the broker: who, and what the broker must see. Without one the broker asks for nothing. */
export interface BrokerUser {
  /** The newest; asked for at each connect. */
  readonly jwt: () => string;
  /** The user's NATS key, which signs login challenges. */
  readonly key: Pick<NatsKey, 'name' | 'sign'>;
}

/** Paths of PEM files. */
export interface BrokerTls {
  /** Who signed the broker's certificate; the host's own list when missing. */
  readonly ca?: string;
  /** This process's own, for a broker that asks for one. */
  readonly cert?: string;
  readonly key?: string;
}

export interface NatsOptions {
  /** One that is `tls://` makes the connection to each of them TLS only. */
  readonly servers: readonly string[];
  readonly name: string;
  readonly user?: BrokerUser | undefined;
  /** Set: TLS only, whatever the addresses say. */
  readonly tls?: BrokerTls | undefined;
  /** Below which answers to this process come, JetStream's too. */
  readonly inbox?: string | undefined;
  /** Told of every state change of the connection and of every handler that threw. */
  readonly onNotice?: (notice: string, cause?: unknown) => void;
  /** Told of what an operator has to mend. */
  readonly onAlert?: (alert: string, cause?: unknown) => void;
  /** Told when that is over. */
  readonly onOver?: (over: string) => void;
  /** Told, maybe more than once, that a connection which was there is lost, and once that there is one again. */
  readonly onAway?: (isAway: boolean) => void;
  /** false: the first connection must succeed at once. */
  readonly waitOnFirstConnect?: boolean;
  /** After the first login, a refusal does not end the connection: a busy broker may refuse a user for a while, and is asked again for ever. */
  readonly outlivesRefusals?: boolean;
}

/** What the client library takes for these. */
export function settings(options: NatsOptions): ConnectionOptions {
  const { servers, name, user, tls, inbox, waitOnFirstConnect, outlivesRefusals } = options;
  return {
    servers: [...servers],
    name,
    pingInterval: PING_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 500,
    waitOnFirstConnect: waitOnFirstConnect ?? false,
    ignoreAuthErrorAbort: outlivesRefusals ?? false,
    timeout: 5000,
    ignoreClusterUpdates: false,
    ...(inbox === undefined ? {} : { inboxPrefix: inbox }),
    ...(user === undefined ? {} : { authenticator: (nonce?: string) => login(user, nonce) }),
    ...(tls === undefined && !servers.some(asksForTls) ? {} : { tls: { ...filesOf(tls ?? {}), ...namesIn(servers) } }),
  };
}

/** The client library itself does not look at the scheme, and would take a broker's word for it that there is no TLS. */
function asksForTls(url: string): boolean {
  return /^tls:/i.test(url);
}

/**
 * The same settings, but with the node at this `host:port` first, where it is one of several servers (one name may stand for many nodes).
 * The others are in random order, so that the clients of a node that goes away do not all go to the same next one.
 */
export function startingAt(node: string, options: ConnectionOptions): ConnectionOptions {
  const { servers } = options;
  if (!Array.isArray(servers) || servers.length < 2) return options;
  const first = servers.find((url) => new URL(url).host.toLowerCase() === node);
  if (first === undefined) return options;
  const others = servers.filter((url) => url !== first);
  return { ...options, servers: [first, ...sample(others, others.length, Math.random)], noRandomize: true };
}

function login({ jwt, key }: BrokerUser, nonce = ''): { jwt: string; nkey: string; sig: string } {
  const signature = key.sign(new TextEncoder().encode(nonce));
  return { jwt: jwt(), nkey: key.name, sig: Buffer.from(signature).toString('base64url') };
}

/**
 * The client library tells Node which name it dialled, and none for an address: Node then looks for `localhost` in the certificate.
 * It has to name one of the addresses instead; which of them was dialled cannot be known here.
 */
function namesIn(servers: readonly string[]): Pick<TlsConnectionOptions, 'checkServerIdentity'> {
  const hosts = servers.map((url) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (addresses.length === 0) return {};
  return {
    checkServerIdentity: (name, certificate) => {
      const asked = name === 'localhost' ? [...addresses, ...hosts.filter((host) => host === name)] : [name];
      const wrong = asked.map((host) => wrongNames(host, certificate));
      return wrong.includes(undefined) ? undefined : wrong[0];
    },
  };
}

/** Node 22.23.3 itself finds no IPv6 address in any certificate, and tells that this host is none of its names. */
function wrongNames(host: string, certificate: PeerCertificate): Error | undefined {
  if (isIPv6(host) && new X509Certificate(certificate.raw).checkIP(host) !== undefined) return undefined;
  return checkServerIdentity(host, certificate);
}

function filesOf({ ca, cert, key }: BrokerTls): TlsOptions {
  return {
    ...(ca === undefined ? {} : { caFile: ca }),
    ...(cert === undefined ? {} : { certFile: cert }),
    ...(key === undefined ? {} : { keyFile: key }),
  };
}
