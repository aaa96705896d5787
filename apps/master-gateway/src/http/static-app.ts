/** A page of the user's own (SaltGUI, for one): the HTML of `app`, for whoever prefers HTML, and the files of `static`. */
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { NotFoundException } from '@nestjs/common';
import { preferredType, TYPES } from './answers.js';
import type { HttpOptions } from './http-options.js';

type Places = Pick<HttpOptions, 'app' | 'appPath' | 'static' | 'staticPath'>;

export function staticApp({ app, appPath, static: folder, staticPath }: Places): readonly RequestHandler[] {
  const handlers: RequestHandler[] = [];
  if (folder !== undefined) {
    const files = express.static(folder, {
      dotfiles: 'ignore',
      index: false,
      redirect: false,
      // They are the same for everyone: a browser may keep them, and asks whether they have changed.
      setHeaders: (res: Response) => res.setHeader('Cache-Control', 'no-cache'),
    });
    handlers.push(under(staticPath, files), under(staticPath, (_req, _res, next) => {
      next(new NotFoundException());
    })); // prettier-ignore
  }
  if (app === undefined) return handlers;
  const page: RequestHandler = (_, res, next) => {
    res.sendFile(app, { dotfiles: 'allow', cacheControl: false }, (error?: Error) => {
      if (error !== undefined && !res.headersSent) next(new NotFoundException());
    });
  };
  handlers.push(under(appPath, page), (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead && prefersHtml(req)) page(req, res, next);
    else next();
  });
  return handlers;
}

function under(path: string, handler: RequestHandler): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const isBelow = req.path === path || req.path.startsWith(`${path}/`);
    if (!isBelow || (req.method !== 'GET' && req.method !== 'HEAD')) {
      next();
      return;
    }
    const { url } = req;
    req.url = url.slice(path.length) || '/';
    handler(req, res, (error?: unknown) => {
      req.url = url;
      next(error);
    });
  };
}

function prefersHtml(req: Request): boolean {
  const { accept } = req.headers;
  if (accept === undefined) return true;
  return accept.trim() !== '*/*' && preferredType(req, [...TYPES, 'text/html']) === 'text/html';
}
