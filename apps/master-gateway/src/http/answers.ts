/** Answers in the form that the client asks for, and errors as pages. Spec: docs/http-api.md#answers. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Value } from '@natrium/model';
import { plainJson, yaml } from '@natrium/output';
import { NotAcceptableException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { jsonPieces } from './json-pieces.js';

const zipped = promisify(gzip);
/** Shorter answers gain nothing. */
const ZIP_FROM = 1400;
/** A client that has not taken all of a large answer by then loses its connection, since the next large answer waits for its end. */
const ALL_TAKEN_MS = 120_000;

/** The types of answers; the first where the client has no preference. */
export const TYPES = ['application/json', 'application/x-yaml'] as const;
export type AnswerType = (typeof TYPES)[number];

/** @throws {NotAcceptableException} When the client takes neither JSON nor YAML; better before a call than after it. */
export function answerType(req: Request): AnswerType {
  const type = req.headers.accept === undefined ? TYPES[0] : preferredType(req, TYPES);
  const known = TYPES.find((one) => one === type);
  if (known === undefined) throw new NotAcceptableException('Answers are application/json or application/x-yaml');
  return known;
}

/**
 * Which of `types` the client prefers, as Salt's server reads `Accept`: what a type says of itself besides its weight counts for
 * nothing, and `application/json; charset=utf-8` asks for JSON.
 *
 * @returns false when it takes none of them.
 */
export function preferredType(req: Request, types: readonly string[]): string | false {
  const ranges = (req.headers.accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';');
    return [type, ...parameters.filter((one) => /^\s*q\s*=/i.test(one)).slice(0, 1)].join(';');
  });
  return req.accepts.call({ headers: { accept: ranges.join(',') } }, ...types);
}

export async function sendValue(req: Request, res: Response, value: Value, status = 200): Promise<void> {
  const type = answerType(req);
  const text = type === 'application/json' ? plainJson(value) : `${yaml(value, { color: false })}\n`;
  res.status(status).setHeader('Content-Type', type);
  res.setHeader('Allow', 'GET, HEAD, POST');
  res.vary('Accept-Encoding');
  const zips = text.length >= ZIP_FROM && req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  if (zips) res.setHeader('Content-Encoding', 'gzip');
  res.end(zips ? await zipped(text) : text);
}

/** As `sendValue`, of JSON that is large; nothing of it is compressed. */
export async function sendLarge(res: Response, value: Value): Promise<void> {
  res.status(200).setHeader('Content-Type', TYPES[0]);
  res.setHeader('Allow', 'GET, HEAD, POST');
  // A client that is gone, or takes nothing, is told nothing more.
  const pieces = Readable.from(jsonPieces(value));
  await pipeline(pieces, res, { signal: AbortSignal.timeout(ALL_TAKEN_MS) }).catch(() => res.destroy());
}

/** The page of an error, as the framework of Salt's API writes it: nobody parses it, people read it. */
export function sendError(res: Response, status: number, title: string, message: string): void {
  if (status === 401) res.setHeader('WWW-Authenticate', 'Session');
  res.status(status).setHeader('Content-Type', 'text/html;charset=utf-8');
  const heading = `${String(status)} ${escapeHtml(title)}`;
  res.end(
    `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>\n<body><h2>${heading}</h2><p>${escapeHtml(message)}</p></body></html>\n`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

/** For what stands between tags: quotes stay as they are, as in Salt's pages. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);
}
