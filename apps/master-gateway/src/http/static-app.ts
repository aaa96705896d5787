/** A page of the user's own (SaltGUI, for one): the HTML of `app`, for whoever prefers HTML, the files of `static`, and `favicon`. */
import { resolve } from 'node:path';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { NotFoundException } from '@nestjs/common';
import { preferredType, TYPES } from './answers.js';
import type { HttpOptions } from './http-options.js';

type Places = Pick<HttpOptions, 'app' | 'appPath' | 'static' | 'staticPath' | 'favicon'>;

export function staticApp({ app, appPath, static: folder, staticPath, favicon }: Places): readonly RequestHandler[] {
  const handlers: RequestHandler[] = [];
  if (favicon !== undefined) handlers.push(under('/favicon.ico', fileOf(favicon)));
  if (folder !== undefined) {
    const files = express.static(folder, {
      dotfiles: 'ignore',
      index: false,
      redirect: false,
      // The files are the same for everyone: a browser may keep them, and asks whether they have changed.
      setHeaders: (res: Response) => res.setHeader('Cache-Control', 'no-cache'),
    });
    handlers.push(under(staticPath, files), under(staticPath, (_req, _res, next) => {
      next(new NotFoundException());
    })); // prettier-ignore
  }
  if (app === undefined) return handlers;
  const page = fileOf(app);
  handlers.push(under(appPath, page), (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead && prefersHtml(req)) page(req, res, next);
    else next();
  });
  return handlers;
}

function fileOf(path: string): RequestHandler {
  // As the folder's files: a relative one is looked for where this was started.
  const file = resolve(path);
  return (_, res, next) => {
    res.sendFile(file, { dotfiles: 'allow', cacheControl: false }, (error?: Error) => {
      if (error !== undefined && !res.headersSent) next(new NotFoundException());
    });
  };
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
