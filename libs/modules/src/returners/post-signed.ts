/**
 * One signed HTTP POST, as Standard Webhooks has it: `webhook-id`, the same at every repetition, `webhook-timestamp`, and
 * `webhook-signature: v1,<base64 of HMAC-SHA-256 of id.timestamp.body>`. The id is the `Idempotency-Key` as well.
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { codeOf, endedAlsoBy } from '@natrium/model';

export interface Webhook {
  readonly url: string;
  /** Holds `whsec_` and the key as base64, read at each post. */
  readonly secretFile: string;
}

export interface Posted {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** An answer that says that the very same post would be refused again. */
export class PostRefused extends Error {
  override readonly name = 'PostRefused';
  readonly code = 'ERR_POST_REFUSED';
}

const TIMEOUT_MS = 10_000;
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);
const MIN_KEY = 24;

/**
 * Resolves when the other side has answered with 2xx.
 *
 * @throws {PostRefused} For 400, 413 and 422.
 * @throws {Error} For all else; it is to be tried again. No message holds the address or the body.
 */
export async function postSigned(
  { url, secretFile }: Webhook,
  { id, body }: Posted,
  ended?: AbortSignal,
  limitMs = TIMEOUT_MS,
): Promise<void> {
  const key = await webhookKey(secretFile);
  const headers = { 'content-type': 'application/json', ...signatureHeaders(key, id, body, Date.now()) };
  const over = endedAlsoBy(ended, AbortSignal.timeout(limitMs));
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal: over.signal, redirect: 'manual' }).catch(
      (cause: unknown) => {
        throw new Error(`no answer came: ${reasonOf(cause)}`);
      },
    );
    await answer.body?.cancel();
    if (answer.ok) return;
    const said = `the answer was ${String(answer.status)}`;
    throw REFUSALS.has(answer.status) ? new PostRefused(said) : new Error(said);
  } finally {
    over.abort();
  }
}

/** @throws {Error} When the file holds none. */
export async function webhookKey(file: string): Promise<Uint8Array> {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})\s*$/.exec(await readFile(file, 'utf8')) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length < MIN_KEY) throw new Error(`${file} does not hold whsec_ and a key of 24 bytes or more as base64`);
  return key;
}

function signatureHeaders(key: Uint8Array, id: string, body: string, nowMs: number) {
  // Ids hold any letters, and the dot ends an id in what is signed.
  const name = encodeURIComponent(id).replaceAll('.', '%2E');
  const seconds = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${name}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': name,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
    'idempotency-key': name,
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return codeOf(cause.cause) ?? cause.name;
}
