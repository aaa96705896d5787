/**
 * Requests: what an enrolled caller signs, and the only thing a minion ever runs.
 *
 * The bytes travel verbatim from caller to minion and are named by their digest; nobody rebuilds them. There is no name
 * of the caller in them: the key tells it. Here is the shape, in Salt's words only where they reach a module.
 *
 * Spec: spec/envelope.md#requests; vectors: spec/vectors/requests.json.
 */
import {
  MAX_VALUES,
  err,
  MAX_FUN,
  MAX_FUNS,
  MAX_LIFETIME,
  MAX_TIMEOUT,
  ok,
  REQUEST_WHATS,
  type RequestWhat,
  type Result,
} from '@natrium/model';

import { encode, type Wire, type WireMap } from './encoding.js';
import { anyList, bin, fields, int, listOf, map, oneOf, refuse, shaped, text, time } from './shape.js';
import { type Cluster, type Signed, signed, type SigningKey } from './signing.js';
import { blake2b } from './sodium.js';

export interface Request {
  /** 16 random bytes. */
  readonly id: Uint8Array;
  readonly what: RequestWhat;
  readonly funs: readonly string[];
  /** One list for each function. */
  readonly args: readonly (readonly Wire[])[];
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  readonly returner: string;
  readonly returnerOptions: WireMap;
  /** Whole seconds. */
  readonly timeout: number;
  /** Every other option that reaches a minion. */
  readonly options: WireMap;
  /** ms since 1970. */
  readonly issued: number;
  /** ms. */
  readonly lifetime: number;
}

const MAX_ARGS = 256;
const MAX_TGT = 65_536;
const MAX_IDS = 10_000;
const MAX_ID = 255;
const MAX_WORD = 256;
/** These ask for a function; the others may name none. */
const WITH_FUN: readonly RequestWhat[] = ['job', 'run', 'wheel'];

/**
 * @throws {RangeError} When a field is out of bounds: every reader would refuse it.
 * @throws {EncodingError} When an argument has no encoding, or all of it too many values.
 */
export function encodeRequest(request: Request): Uint8Array {
  const { id, what, funs, args, tgt, tgtType, returner, returnerOptions, timeout, options, issued, lifetime } = request;
  const wire = [id, what, funs, args, tgt, tgtType, returner, returnerOptions, timeout, options, issued, lifetime];
  const bytes = encode(wire, MAX_VALUES);
  if (shaped(bytes, readShape) === undefined) throw new RangeError('not a request: a field is out of bounds');
  return bytes;
}

/** Reads the bytes strictly; says nothing of signature and time. */
export function readRequest(bytes: Uint8Array): Result<Request, 'shape'> {
  const request = shaped(bytes, readShape);
  return request === undefined ? err('shape') : ok(request);
}

/** @throws {RangeError} When a field is out of bounds. */
export function signRequest(key: SigningKey, cluster: Cluster, request: Request): Signed {
  return signed(key, 'request', cluster, encodeRequest(request));
}

/** The name of a request everywhere after its caller: BLAKE2b-256 of its bytes. */
export function requestDigest(bytes: Uint8Array): Uint8Array {
  return blake2b(32, null, bytes);
}

function readShape(wire: Wire): Request {
  const [id, what, funs, args, tgt, tgtType, returner, returnerOptions, timeout, options, issued, lifetime] = fields(
    wire,
    12,
  );
  const request = {
    id: bin(id, 16),
    what: oneOf(what, REQUEST_WHATS),
    funs: listOf(funs, MAX_FUNS, (fun) => text(fun, MAX_FUN)),
    args: listOf(args, MAX_FUNS, (list) => listOf(list, MAX_ARGS, (arg) => arg)),
    tgt: readTarget(tgt),
    tgtType: text(tgtType, MAX_WORD, 0),
    returner: text(returner, MAX_WORD, 0),
    returnerOptions: map(returnerOptions),
    timeout: int(timeout, 0, MAX_TIMEOUT),
    options: map(options),
    issued: time(issued),
    lifetime: int(lifetime, 1, MAX_LIFETIME),
  };
  if (request.funs.length !== request.args.length) refuse();
  if (request.funs.length === 0 && WITH_FUN.includes(request.what)) refuse();
  return request;
}

function readTarget(wire: Wire | undefined): string | readonly string[] {
  if (typeof wire === 'string') return text(wire, MAX_TGT, 0);
  return listOf(anyList(wire), MAX_IDS, (id) => text(id, MAX_ID, 0));
}
