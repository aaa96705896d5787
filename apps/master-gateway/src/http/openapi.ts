/** The API described by itself, for programs (`/openapi.json`) and for people (`/openapi`). */
import type { Value, ValueMap } from '@natrium/model';
import type { RequestHandler } from 'express';
import { sendValue, TYPES } from './answers.js';
import type { HttpOptions } from './http-options.js';
import { CLIENTS } from './lowstate.js';
import { isForSessions, plainTarget } from './paths.js';

interface Operation {
  readonly path: string;
  readonly method: 'get' | 'post';
  readonly summary: string;
  /** How the caller is known. */
  readonly auth: 'none' | 'session' | 'credentials';
  readonly body?: string;
  readonly status?: number;
  readonly answer: string;
}

const OPERATIONS: readonly Operation[] = [
  { path: '/', method: 'get', auth: 'none', summary: 'What this is, and the clients of a lowstate', answer: 'Welcome' },
  { path: '/', method: 'post', auth: 'session', body: 'Lowstates', summary: 'Run lowstates', answer: 'Returned' },
  { path: '/login', method: 'get', auth: 'none', summary: 'How to log in', answer: 'Object' },
  { path: '/login', method: 'post', auth: 'credentials', body: 'Login', summary: 'Begin a session', answer: 'LoggedIn' },
  { path: '/logout', method: 'post', auth: 'session', summary: 'End the session', answer: 'Object' },
  { path: '/token', method: 'post', auth: 'credentials', body: 'Login', summary: 'A token for /run', answer: 'Tokens' },
  { path: '/run', method: 'post', auth: 'credentials', body: 'Lowstates', summary: 'Run lowstates without a session', answer: 'Returned' },
  { path: '/minions', method: 'get', auth: 'session', summary: 'Grains of all minions', answer: 'Returned' },
  { path: '/minions', method: 'post', auth: 'session', body: 'Jobs', status: 202, summary: 'Start jobs', answer: 'Returned' },
  { path: '/minions/{id}', method: 'get', auth: 'session', summary: 'Grains of the minions of a glob', answer: 'Returned' },
  { path: '/jobs', method: 'get', auth: 'session', summary: 'The jobs of the job cache', answer: 'Returned' },
  { path: '/jobs/{id}', method: 'get', auth: 'session', summary: 'One job and what came of it', answer: 'Returned' },
  { path: '/keys', method: 'get', auth: 'session', summary: 'Keys of minions by their state', answer: 'Object' },
  { path: '/keys/{id}', method: 'get', auth: 'session', summary: 'Fingerprints of one id', answer: 'Object' },
  { path: '/events', method: 'get', auth: 'session', summary: 'The event bus, as server-sent events', answer: 'Events' },
  { path: '/hook/{tag}', method: 'post', auth: 'session', body: 'Any', summary: 'Fire salt/netapi/hook/TAG', answer: 'Object' },
  { path: '/stats', method: 'get', auth: 'session', summary: 'Counts of this replica', answer: 'Object' },
  { path: '/ui', method: 'get', auth: 'none', summary: 'The built-in page', answer: 'Page' },
  { path: '/ui/can-i', method: 'post', auth: 'session', body: 'Job', summary: 'What the gate would say; nothing is sent', answer: 'Verdict' },
  { path: '/ws', method: 'get', auth: 'session', status: 101, summary: 'The event bus, as a WebSocket', answer: 'Object' },
]; // prettier-ignore

/** What any lowstate says. */
const ASKED: ValueMap = {
  tgt: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  tgt_type: { type: 'string', default: 'glob' },
  fun: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  arg: { type: 'array', items: {} },
  kwarg: { type: 'object', additionalProperties: true },
  timeout: { type: 'number' },
  full_return: { type: 'boolean' },
  batch: { type: 'string' },
  subset: { type: 'integer' },
};

const SCHEMAS: ValueMap = {
  Lowstate: {
    type: 'object',
    required: ['client', 'fun'],
    properties: { client: { type: 'string', enum: [...CLIENTS] }, ...ASKED },
    additionalProperties: true,
  },
  Lowstates: oneOrMore('Lowstate'),
  Job: {
    description: 'A lowstate whose client the path says',
    type: 'object',
    required: ['tgt', 'fun'],
    properties: ASKED,
    additionalProperties: true,
  },
  Jobs: oneOrMore('Job'),
  Login: {
    type: 'object',
    required: ['username', 'password', 'eauth'],
    properties: {
      username: { type: 'string' },
      password: { type: 'string', format: 'password' },
      eauth: { type: 'string' },
      token_expire: { type: 'integer', description: 'Seconds; counts where token_expire_user_override lets it' },
    },
  },
  LoggedIn: { type: 'object', properties: { return: { type: 'array', items: ref('Session') } } },
  Session: {
    type: 'object',
    properties: {
      token: { type: 'string', pattern: '^[0-9a-f]{40}$' },
      start: { type: 'number' },
      expire: { type: 'number' },
      user: { type: 'string' },
      eauth: { type: 'string' },
      perms: { description: 'A list of rules; an empty object where there are none' },
    },
  },
  Tokens: { type: 'array', items: { type: 'object', additionalProperties: true } },
  Welcome: { type: 'object', properties: { return: { type: 'string' }, clients: { type: 'array', items: { type: 'string' } } } },
  Returned: { type: 'object', properties: { return: { type: 'array', items: {} } }, additionalProperties: true },
  Object: { type: 'object', additionalProperties: true },
  Verdict: {
    oneOf: [
      { type: 'object', required: ['allowed', 'rule', 'minions', 'missing'], properties: {
        allowed: { const: true }, rule: { type: 'string' }, minions: ref('Ids'), missing: ref('Ids') } },
      { type: 'object', required: ['allowed', 'code', 'sentence'], properties: {
        allowed: { const: false }, code: { type: 'string' }, sentence: { type: 'string' } } },
    ],
  },
  Ids: { type: 'array', items: { type: 'string' } },
  Events: { type: 'string' },
  Page: { type: 'string' },
  Any: {},
}; // prettier-ignore

/** @returns Where the API is mounted, as the address says under which its description was asked for. */
export function baseOf(url: string): string {
  return plainTarget(url).replace(/\/openapi\.json\/?(?:\?.*)?$/, '');
}

/** Of both descriptions. */
const PATH = /^\/openapi(\.json)?\/?$/i;

type Doors = Pick<HttpOptions, 'hasSessions' | 'hookPath'>;

function operations({ hasSessions, hookPath }: Doors): readonly Operation[] {
  return OPERATIONS.filter(({ path }) => hasSessions || !isForSessions(path)).map((operation) => ({
    ...operation,
    path: operation.path.replace(/^\/hook(?=\/)/, () => hookPath),
  }));
}

/** @param base Where the API is mounted. */
export function openApi(base: string, doors: Doors): ValueMap {
  const paths = new Map<string, Record<string, Value>>();
  for (const operation of operations(doors)) {
    const entry = paths.get(operation.path) ?? {};
    entry[operation.method] = described(operation);
    paths.set(operation.path, entry);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Natrium HTTP API', version: '1', description: "Salt's rest_cherrypy API: existing clients work as they are." },
    servers: [{ url: base === '' ? '/' : base }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'session_id' },
      },
    },
  }; // prettier-ignore
}

function described({ path, summary, auth, body, status = 200, answer }: Operation): ValueMap {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(auth === 'session' ? { security: [{ token: [] }, { cookie: [] }] } : {}),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, BODY_TYPES) } }),
    responses: {
      [String(status)]: { description: summary, content: contentOf(answer, OTHER_TYPES[answer] ?? TYPES) },
      ...(auth === 'none' ? {} : { '401': { description: 'Not logged in, or not permitted; the sentence says what is missing' } }),
      ...(body === undefined ? {} : { '400': { description: 'The body is not what is asked for' } }),
    },
  }; // prettier-ignore
}

const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'application/x-yaml'] as const;
const OTHER_TYPES: Readonly<Record<string, readonly string[]>> = { Events: ['text/event-stream'], Page: ['text/html'] };

function contentOf(schema: string, types: readonly string[]): ValueMap {
  return Object.fromEntries(types.map((type) => [type, { schema: ref(schema) }]));
}

function oneOrMore(name: string): ValueMap {
  return { oneOf: [ref(name), { type: 'array', items: ref(name) }] };
}

function ref(name: string): ValueMap {
  return { $ref: `#/components/schemas/${name}` };
}

const STYLE =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #8886}code{font-family:ui-monospace,monospace}';
const AUTHS = { none: 'nobody has to', session: 'a session', credentials: 'credentials in the body' } as const;
const HOW = {
  session: 'Log in with <code>POST /login</code>; the token goes into the header <code>X-Auth-Token</code>.',
  credentials: 'There are no sessions: each lowstate of <code>POST /run</code> brings its credentials.',
} as const;

/** `/openapi.json` and `/openapi`. */
export function openApiDoors(doors: Doors): RequestHandler {
  const page = pageOf(doors);
  return async (req, res, next) => {
    const asked = PATH.exec(req.path);
    if (asked === null || (req.method !== 'GET' && req.method !== 'HEAD')) {
      next();
      return;
    }
    if (asked[1] !== undefined) {
      await sendValue(req, res, openApi(baseOf(req.originalUrl), doors));
      return;
    }
    res.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    res.setHeader('Content-Type', 'text/html;charset=utf-8');
    res.end(page);
  };
}

function pageOf(doors: Doors): string {
  const rows = operations(doors).map(
    ({ path, method, summary, auth }) =>
      `<tr><td><code>${method.toUpperCase()}</code></td><td><code>${path}</code></td><td>${summary}</td><td>${AUTHS[auth]}</td></tr>`,
  );
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Natrium HTTP API</title><style>${STYLE}</style></head>\n<body><main><h1>Natrium HTTP API</h1><p>Salt’s <code>rest_cherrypy</code> API. For programs: <a href="openapi.json">openapi.json</a>. ${HOW[doors.hasSessions ? 'session' : 'credentials']}</p><table><thead><tr><th>Method</th><th>Path</th><th>What it does</th><th>Who is asked for</th></tr></thead><tbody>${rows.join('')}</tbody></table></main></body></html>\n`;
}
