/**
 * The certificate that each node of the broker shows to whoever connects: a new file on a disk is of no use before a node has
 * read it, and some nodes may have been forgotten.
 */
import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { brokerTls, type MasterConfig, shownAddress } from '@natrium/config';
import { codeOf, messageOf } from '@natrium/model';

export interface ServedCertificate {
  /** The node's address, without what is secret in it. */
  readonly node: string;
  /** In ms since 1970; undefined where nothing was shown. */
  readonly validity: { readonly from: number; readonly to: number } | undefined;
  /** Why nothing was shown. */
  readonly why?: string;
}

type Asked = Pick<MasterConfig, 'nats' | 'broker_ca' | 'broker_cert' | 'broker_key'>;

const PATIENCE_MS = 3000;

/** Of each node, where they are reached with TLS. What signed it is not looked at: a connection of the project does that. */
export function servedCertificates(config: Asked): Promise<readonly ServedCertificate[]> {
  const paths = brokerTls(config);
  if (paths === undefined && !config.nats.some((url) => url.startsWith('tls:'))) return Promise.resolve([]);
  return Promise.all(config.nats.map((url) => servedBy(url, paths ?? {})));
}

async function servedBy(url: string, own: NonNullable<ReturnType<typeof brokerTls>>): Promise<ServedCertificate> {
  const node = shownAddress(url);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'));
  let secure: TLSSocket | undefined;
  try {
    const silent = pause(PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Error('it says nothing');
    });
    await Promise.race([greeted(socket), silent]);
    // Also what nobody may trust any more is to be seen: an end that is over is the finding.
    secure = connectTls({ socket, ...ownFiles(own), rejectUnauthorized: false });
    await Promise.race([shaken(secure), silent]);
    const { valid_from: from, valid_to: to } = secure.getPeerCertificate();
    return { node, validity: { from: Date.parse(from), to: Date.parse(to) } };
  } catch (error) {
    // What OpenSSL says where the answer is none of TLS.
    const why = codeOf(error) === 'ERR_SSL_WRONG_VERSION_NUMBER' ? 'it offers no TLS' : messageOf(error);
    return { node, validity: undefined, why };
  } finally {
    secure?.destroy();
    socket.destroy();
  }
}

/** This host's own, for a node that asks for one. */
function ownFiles({ cert, key }: NonNullable<ReturnType<typeof brokerTls>>) {
  return cert === undefined || key === undefined ? {} : { cert: readFileSync(cert), key: readFileSync(key) };
}

/** A node speaks first, in clear; TLS begins after its first line. */
function greeted(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let line = '';
    const onData = (chunk: Buffer) => {
      line += chunk.toString('latin1');
      if (!line.includes('\r\n')) return;
      socket.off('data', onData).pause();
      resolve();
    };
    socket.on('error', reject).on('data', onData);
    socket.once('close', () => {
      reject(new Error('it closed the connection'));
    });
  });
}

function shaken(secure: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    secure.on('error', reject).once('secureConnect', () => {
      resolve();
    });
  });
}
