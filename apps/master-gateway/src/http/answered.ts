/** Tells of each answer of the HTTP API, for the figures: which route, which status, how long it took. */
import type { RequestHandler } from 'express';
import { routeOf } from './paths.js';

export interface Answered {
  /** One of `ROUTES`. */
  readonly route: string;
  /** The status; `none` where the client was gone before it. */
  readonly code: string;
  /** From the head of the request to the end of its answer. */
  readonly seconds: number;
}

/** Has to be the first handler, so that requests that are refused on the way to a door are told, too. */
export function answered(tell: (answered: Answered) => void): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once('close', () => {
      const code = res.headersSent ? String(res.statusCode) : 'none';
      tell({ route: routeOf(req.path), code, seconds: (performance.now() - began) / 1000 });
    });
    next();
  };
}
