/**
 * Credentials for the broker: a `.creds` file as every NATS client reads it, and what of a JWT matters to its holder.
 *
 * Spec: spec/broker.md#keys.
 */
import { NatsKey, nkeySeedIn } from '@natrium/envelope';
import { KeyfileCorrupt } from './key-file.js';
import { readIfThere } from './whole-file.js';

export interface BrokerCredentials {
  readonly jwt: string;
  readonly key: NatsKey;
  /** The user's name; it is part of its inbox and its subjects. */
  readonly name: string;
}

export interface UserClaims {
  readonly name: string;
  /** Its public NATS key. */
  readonly user: string;
  /** Milliseconds since 1970; `Infinity`: never. */
  readonly issued: number;
  readonly expires: number;
}

const JWT = /-{3,}BEGIN NATS USER JWT-{3,}\s+(\S+)\s+-{3,}END/;
const SEED = /-{3,}BEGIN USER NKEY SEED-{3,}\s+(\S+)\s+-{3,}END/;

/** @returns undefined when there is no such file. @throws {KeyfileCorrupt} */
export function readCredentials(path: string): BrokerCredentials | undefined {
  const text = readIfThere(path)?.toString();
  if (text === undefined) return undefined;
  const jwt = JWT.exec(text)?.[1] ?? '';
  const seed = nkeySeedIn(SEED.exec(text)?.[1] ?? '');
  const claims = claimsIn(jwt);
  if (seed === undefined || claims === undefined) throw new KeyfileCorrupt(path, 'hold credentials of a NATS user');
  return { jwt, key: NatsKey.fromSeed('user', seed), name: claims.name };
}

/** What a user's JWT says, unchecked: the broker is who checks it. @returns undefined when it is none. */
export function claimsIn(jwt: string): UserClaims | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    if (typeof body !== 'object' || body === null) return undefined;
    const { name, sub, iat, exp } = body as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || typeof sub !== 'string') return undefined;
    return { name, user: sub, issued: ms(iat, 0), expires: ms(exp, Number.POSITIVE_INFINITY) };
  } catch {
    return undefined;
  }
}

function ms(seconds: unknown, otherwise: number): number {
  return typeof seconds === 'number' ? seconds * 1000 : otherwise;
}
