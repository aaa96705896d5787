/**
 * What every request passes before it is heard: its id, its address, the headers that browsers obey, CORS, and whose session it
 * carries.
 */
import { randomBytes, toHex } from '@natrium/envelope';
import type { NextFunction, Request, Response } from 'express';
import { ForbiddenException, PayloadTooLargeException } from '@nestjs/common';
import { type From, SESSION_ID, type Sessions, TOKEN, unproved } from './sessions.js';

const OWN_ID = /^[\w.-]{1,64}$/;

export function identify(req: Request, res: Response, next: NextFunction): void {
  const given = req.headers['x-request-id'];
  res.setHeader('X-Request-Id', typeof given === 'string' && OWN_ID.test(given) ? given : toHex(randomBytes(12)));
  next();
}

export function requestIdOf(res: Response): string {
  return String(res.getHeader('X-Request-Id') ?? '');
}

export function fromOf(req: Request, res: Response): From {
  return { address: req.ip ?? '', about: requestIdOf(res) };
}

/** Only these addresses may ask, where the configuration names any. */
export function admit(addresses: readonly string[] | undefined) {
  return (req: Request, _: Response, next: NextFunction): void => {
    next(isLetIn(req, addresses) ? undefined : new ForbiddenException('This address is not in authorized_ips'));
  };
}

export function isLetIn(req: Pick<Request, 'ip'>, addresses: readonly string[] | undefined): boolean {
  return addresses === undefined || addresses.includes('*') || addresses.includes(clientIp(req));
}

/** The client's address, as a proxy of `http_proxies` names it where one stands before this; IPv4 in its own form. */
export function clientIp({ ip = '' }: Pick<Request, 'ip'>): string {
  return ip.replace(/^::ffff:/, '');
}

/** How many bytes of a body are read from a client who is not known yet. */
export const STRANGERS_BODY = 65_536;
const OWN_CREDENTIALS = /^\/(?:login|token|run)\/?$/i;

/** Guards the doors that take credentials: an address from which too many wrong ones came is not even listened to. */
export function strangers(sessions: Pick<Sessions, 'mayTry' | 'failed'>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    if (req.method === 'POST' && OWN_CREDENTIALS.test(req.path)) {
      const from = fromOf(req, res);
      sessions.mayTry(from);
      res.once('close', () => {
        if (res.statusCode === 400 || res.statusCode === 401) sessions.failed(from);
      });
    }
    next();
  };
}

/** Doors that read a body, but only of a client with a session. */
const FOR_SESSIONS = /^\/(?:(?:minions|ui\/can-i)\/?|hook(?:\/.*)?)?$/i;

/** Whether the request's door reads a body; any other body is not taken into memory. */
export function takesBody({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return method === 'POST' && (OWN_CREDENTIALS.test(path) || FOR_SESSIONS.test(path));
}

/** Where a session is needed, it is looked at before the body comes, as in Salt: nothing of a client who is not known is taken into memory. */
export function knownFirst(sessions: Pick<Sessions, 'knows' | 'check'>, { openHook }: { readonly openHook: boolean }) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const isOpen = openHook && /^\/hook(?:\/|$)/i.test(req.path);
    if (req.method === 'POST' && FOR_SESSIONS.test(req.path) && !isOpen) {
      const token = sessionIn(req);
      if (!sessions.knows(token)) await sessions.check(token, fromOf(req, res));
    }
    next();
  };
}

/** How many bytes a body may have at a path: less where it is read before the credentials in it are proved. */
export function roomAt(path: string, maxBody: number): number {
  return OWN_CREDENTIALS.test(path) ? Math.min(maxBody, STRANGERS_BODY) : maxBody;
}

/** A body that says that it is too long is refused before it comes; the reader counts the bytes of the others. */
export function bounded(maxBody: number) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const room = roomAt(req.path, maxBody);
    if (Number(req.headers['content-length'] ?? 0) <= room) {
      next();
      return;
    }
    res.setHeader('Connection', 'close');
    next(new PayloadTooLargeException(`A body holds at most ${String(room)} bytes`));
  };
}

/** Ignores a `Content-Encoding` that is none: Rundeck's plugin writes its character set there, and Salt does not read it. */
export function knownEncoding(req: Request, _res: Response, next: NextFunction): void {
  const { 'content-encoding': encoding = '' } = req.headers;
  if (!/^(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i.test(encoding)) delete req.headers['content-encoding'];
  next();
}

/** CORS as in Salt's server, but right for preflights, and what keeps browsers from guessing. */
export function headers(req: Request, res: Response, next: NextFunction): void {
  res.setHeader('Access-Control-Allow-Origin', req.headers.origin ?? '*');
  res.setHeader('Vary', 'Origin');
  res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Access-Control-Expose-Headers', 'GET, POST');
  // The Jenkins plugin cannot log in without this header.
  res.setHeader('Server', 'Natrium');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'private, no-store');
  if (req.secure) res.setHeader('Strict-Transport-Security', 'max-age=31536000');
  if (req.method !== 'OPTIONS') {
    next();
    return;
  }
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type, X-Auth-Token, X-Requested-With');
  res.setHeader('Access-Control-Max-Age', '1400');
  res.status(200).end();
}

type Asked = Pick<Request, 'headers'> & { readonly host?: string };

/** The session's token as the client sends it: the header wins over the cookie. @throws {UnauthorizedException} When there is none. */
export function sessionIn(req: Asked): string {
  const token = sentIn(req);
  if (token === undefined || !SESSION_ID.test(token)) throw unproved();
  return token;
}

/**
 * What lets a client listen: its session, or, as Salt has it for events alone, a token of `/token`. What stands in the address wins,
 * and an empty one is none.
 *
 * @throws {UnauthorizedException} When there is none.
 */
export function listenerTokenIn(req: Asked, named: readonly unknown[]): string {
  const token = named.find((one) => one !== undefined && one !== null && one !== '') ?? sentIn(req);
  if (typeof token !== 'string' || !(SESSION_ID.test(token) || TOKEN.test(token))) throw unproved();
  return token;
}

function sentIn(req: Asked): string | undefined {
  const header = req.headers['x-auth-token'];
  // SaltGUI sends an empty one while it remembers none.
  return typeof header === 'string' && header !== '' ? header : cookieIn(req);
}

/**
 * A browser sends a cookie along whoever made it ask. It counts only where the request comes from a page of our own, or from no
 * page at all.
 */
function cookieIn({ headers, host }: Asked): string | undefined {
  const { origin, cookie } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || originHost(origin) === (host ?? headers.host);
  const isNear = site === undefined || site === 'same-origin' || site === 'none';
  if (!isOwn || !isNear || cookie === undefined) return undefined;
  // Some clients quote a value, as they may. Of several the last counts, as in Salt's server.
  return [...cookie.matchAll(/(?:^|;)\s*session_id=("?)([^;\s"]+)\1/g)].at(-1)?.[2];
}

function originHost(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
