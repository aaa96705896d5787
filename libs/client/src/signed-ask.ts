/** What is asked becomes a signed request, or the refusal of what fits into none: nobody could decide that. */
import { EncodingError, randomBytes, type Request, signRequest } from '@natrium/envelope';
import {
  err,
  isMap,
  lifetimeOf,
  ok,
  type Refusal,
  refuse,
  type Result,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import type { Asker, JobAsk } from './asks.js';
import { namesRefusal } from './failures.js';

/** The broker takes 8 MiB in a message, which is padded by up to 128 KiB; there is room for what stands around a request on its way. */
const MOST_BYTES = 8_192_000;
const OUT_OF_BOUNDS =
  'this does not fit into a request: a function takes at most 256 arguments, a target has at most 65,536 characters or 10,000 ids';

export interface SignedAsk {
  readonly request: Uint8Array;
  readonly signature: Uint8Array;
  /** Its own end, in milliseconds since 1970. */
  readonly until: number;
}

export interface Ask {
  readonly what: Request['what'];
  readonly funs: readonly string[];
  /** One list for each function. */
  readonly args: readonly (readonly Value[])[];
}

export function signAsk(
  asker: Asker,
  { what, funs, args }: Ask,
  ask: Partial<JobAsk> & { readonly timeout: number },
): Result<SignedAsk, Refusal> {
  const wrong = namesRefusal(funs);
  if (wrong !== undefined) return err(wrong);
  const { sealer } = asker.bus;
  const delimiter = ask.delimiter === undefined ? {} : { delimiter: ask.delimiter };
  const claims = what === 'job' || what === 'run' || what === 'wheel' ? asker.claims : undefined;
  const request: Request = {
    id: randomBytes(16),
    what,
    funs,
    args: args.map((list) => list.map((value) => toPlain(value))),
    tgt: ask.tgt ?? '',
    tgtType: ask.tgtType ?? 'glob',
    returner: ask.returner ?? '',
    returnerOptions: plainMap(ask.returnerOptions ?? {}),
    // Whole seconds on the wire; a fraction waits longer rather than shorter.
    timeout: Math.ceil(ask.timeout),
    options: plainMap({ ...ask.options, ...delimiter, ...claims }),
    issued: sealer.clock.now(),
    lifetime: lifetimeOf(ask.timeout),
  };
  return signed(asker, request);
}

function signed({ bus, signing }: Asker, request: Request): Result<SignedAsk, Refusal> {
  try {
    const { bytes, signature } = signRequest(signing, bus.sealer.roles.cluster, request);
    if (bytes.length > MOST_BYTES) return refuse('bad_request', tooLarge(bytes.length));
    return ok({ request: bytes, signature, until: request.issued + request.lifetime });
  } catch (cause) {
    if (cause instanceof RangeError) return refuse('bad_request', OUT_OF_BOUNDS);
    if (!(cause instanceof EncodingError)) throw cause;
    return refuse('bad_request', `this fits into no request: ${cause.message}`);
  }
}

function tooLarge(bytes: number): string {
  return `the request has ${String(bytes)} bytes, with its arguments; at most ${String(MOST_BYTES)} fit into one`;
}

function plainMap(map: ValueMap): Request['options'] {
  const plain = toPlain(map);
  return isMap(plain) ? plain : {};
}
