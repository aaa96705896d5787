/** The paths of the API and the methods that each takes: what is asked otherwise is refused before anything is read. */
import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { HttpOptions } from './http-options.js';

/** Each with its name in the figures. */
const METHODS: readonly (readonly [string, RegExp, readonly string[]])[] = [
  ['/', /^\/$/, ['GET', 'HEAD', 'POST']],
  ['/login', /^\/login\/?$/, ['GET', 'HEAD', 'POST']],
  ['/logout', /^\/logout\/?$/, ['POST']],
  ['/token', /^\/token\/?$/, ['POST']],
  ['/run', /^\/run\/?$/, ['POST']],
  ['/hook/*', /^\/hook(?:\/|$)/, ['POST']],
  ['/minions', /^\/minions\/?$/, ['GET', 'HEAD', 'POST']],
  ['/keys', /^\/keys\/?$/, ['GET', 'HEAD', 'POST']],
  ['/minions/:id', /^\/minions\/[^/]+\/?$/, ['GET', 'HEAD']],
  ['/keys/:id', /^\/keys\/[^/]+\/?$/, ['GET', 'HEAD']],
  ['/jobs', /^\/jobs\/?$/, ['GET', 'HEAD']],
  ['/jobs/:jid', /^\/jobs\/[^/]+\/?$/, ['GET', 'HEAD']],
  ['/events', /^\/events\/?$/, ['GET', 'HEAD']],
  ['/stats', /^\/stats\/?$/, ['GET', 'HEAD']],
  ['/openapi', /^\/openapi(?:\.json)?\/?$/, ['GET', 'HEAD']],
  ['/ui/can-i', /^\/ui\/can-i\/?$/, ['POST']],
  ['/ui/*', /^\/ui(?:\/[^/]+)?\/?$/, ['GET', 'HEAD']],
  ['/ws', /^\/ws(?:\/[^/]+)?\/?$/, ['GET', 'HEAD']],
];

const OTHER = 'other';
export const ROUTES: readonly string[] = [...METHODS.map(([route]) => route), OTHER];

/** Which of `ROUTES` a path belongs to: what stands in the path itself is in no figure. */
export function routeOf(path: string): string {
  return METHODS.find(([, pattern]) => pattern.test(path))?.[0] ?? OTHER;
}

export function allowedMethods(req: Request, res: Response, next: NextFunction): void {
  const methods = METHODS.find(([, path]) => path.test(req.path))?.[2];
  if (methods === undefined || methods.includes(req.method)) {
    next();
    return;
  }
  res.setHeader('Allow', methods.join(', '));
  next(new MethodNotAllowedException('Specified method is invalid for this resource.'));
}

/** As in Salt: what needs a session, or makes one, is not there where there are none. */
export function isForSessions(path: string): boolean {
  return /^\/(?:login|logout|minions|jobs)(?:\/|$)/i.test(path);
}

export function withoutSessions({ hasSessions }: Pick<HttpOptions, 'hasSessions'>): RequestHandler {
  return (req, _, next) => {
    next(hasSessions || !isForSessions(req.path) ? undefined : new NotFoundException());
  };
}

/**
 * A request's target as the doors know it. A client whose address ends with a slash asks for `//login`: as in Salt's server, several
 * are one. Scheme and host, which whoever asks through a proxy puts before the path, are left out (RFC 9112, 3.2.2).
 */
export function plainTarget(url: string): string {
  const own = url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  const [path = ''] = own.split('?', 1);
  return path.replace(/\/{2,}/g, '/') + own.slice(path.length);
}

/** Without `root_prefix`, which a proxy before this may have left out already. */
export function withoutPrefix(url: string, prefix: string): string {
  const isBelow = url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`);
  return prefix !== '' && isBelow ? url.slice(prefix.length) || '/' : url;
}

/** The paths that a configuration moves, back to where the doors are. */
export function ownPaths({ prefix, hookPath }: Pick<HttpOptions, 'prefix' | 'hookPath'>): RequestHandler {
  return (req, _, next) => {
    req.url = withoutPrefix(plainTarget(req.url), prefix);
    if (req.path === hookPath || req.path.startsWith(`${hookPath}/`)) {
      req.url = `/hook${req.url.slice(hookPath.length)}`;
    } else if (/^\/hook(?:\/|$)/i.test(req.path)) {
      // Hooks that ask for no session may have nothing but their path to protect them.
      next(new NotFoundException());
      return;
    }
    next();
  };
}
