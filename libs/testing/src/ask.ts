/** Requests as a caller makes them; a test names only what matters to it. */
import { type Cluster, encodeRequest, randomBytes, type Request, type SigningKey } from '@natrium/envelope';
import { lifetimeOf } from '@natrium/model';

/** A request as it stands on a gateway's desk: the bytes, the signature beside them, and the key they came under. */
export interface Asked {
  readonly request: Uint8Array;
  readonly signature: Uint8Array | null;
  readonly callerKey: Uint8Array | null;
}

/** A request for `test.ping`, issued at `issued`; everything can be replaced. */
export function aRequest(issued: number, fields: Partial<Request> = {}): Request {
  const timeout = fields.timeout ?? 5;
  return {
    id: randomBytes(16),
    what: 'job',
    funs: ['test.ping'],
    args: (fields.funs ?? ['test.ping']).map(() => []),
    tgt: '*',
    tgtType: 'glob',
    returner: '',
    returnerOptions: {},
    timeout,
    options: {},
    issued,
    lifetime: lifetimeOf(timeout),
    ...fields,
  };
}

export function signedBy(key: SigningKey, cluster: Cluster, request: Request): Asked {
  const bytes = encodeRequest(request);
  return { request: bytes, signature: key.sign('request', cluster, bytes), callerKey: key.publicKey };
}
