/** The built-in page at `/ui`: its files as they are, under a policy that lets nothing else in. Spec: docs/http-api.md#the-page. */
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler } from 'express';
import type { HttpOptions } from './http-options.js';

const PATH = '/ui';
const FOLDER = fileURLToPath(new URL('./ui/', import.meta.url));
/** No script but ours, no style in an attribute, nobody else's host; and no way for a text to become HTML (trusted types). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

type Places = Pick<HttpOptions, 'app' | 'appPath' | 'static' | 'staticPath'>;

/** Nothing where the configuration has a page of its own at that path. */
export function uiPage({ app, appPath, static: folder, staticPath }: Places): readonly RequestHandler[] {
  const taken = [app === undefined ? '' : appPath, folder === undefined ? '' : staticPath];
  if (taken.some((path) => path === PATH || path.startsWith(`${PATH}/`))) return [];
  const files = express.Router();
  files.get(PATH, (req, res, next) => {
    // What the page names is relative to where it lies, whatever a proxy has put before it.
    if (req.path !== PATH) res.redirect(308, `..${PATH}`);
    else res.setHeader('Content-Security-Policy', POLICY).sendFile('index.html', { root: FOLDER, ...PLAIN }, next);
  });
  files.use(
    PATH,
    express.static(FOLDER, {
      ...PLAIN,
      index: false,
      redirect: false,
      setHeaders: (res) => res.setHeader('Content-Security-Policy', POLICY),
    }),
  );
  return [files];
}

/** The headers of every answer say that nothing is kept. */
const PLAIN = { cacheControl: false, etag: false, lastModified: false } as const;
