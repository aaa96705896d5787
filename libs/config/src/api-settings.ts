/**
 * `rest_cherrypy`, Salt's settings of its HTTP API, and who may stand before it. A setting that would protect and that is not known
 * here, be it by a slip of the hand, is a problem: ignoring it would open what its author closed.
 *
 * Spec: docs/http-api.md.
 */
import { isIP } from 'node:net';
import { isMap, type Value } from '@natrium/model';
import { nearestKey } from './nearest-key.js';
import type { ConfigProblem, Fault } from './problem.js';

export interface ApiSettings {
  readonly http_proxies: readonly string[];
  readonly rest_cherrypy: Value;
}

type Problem = Omit<ConfigProblem, 'file'>;
/** What a setting takes; undefined: this value is one. */
type Taking = (value: Value) => string | undefined;

const LAST_PORT = 65_535;
const whole: Taking = (value) => (isWhole(value) ? undefined : 'a whole number');
const port: Taking = (value) => (isWhole(value) && Number(value) <= LAST_PORT ? undefined : 'a port (0 to 65535)');
const text: Taking = (value) => (typeof value === 'string' ? undefined : 'a text');
const path: Taking = (value) =>
  typeof value === 'string' && /^(?:\/|$)/.test(value) ? undefined : 'a path that begins with a slash';
const anything: Taking = () => undefined;

/** All that Salt's API reads, also what has no effect here. (`queue_size` is what its manual calls `socket_queue_size`.) */
const SETTINGS: ReadonlyMap<string, Taking> = new Map([
  ['port', port], ['max_request_body_size', whole], ['host', text], ['ssl_crt', text], ['ssl_key', text], ['ssl_chain', text], ['app', text],
  ['static', text], ['favicon', text], ['app_path', path], ['static_path', path], ['root_prefix', path], ['webhook_url', path],
  ...[
    'disable_ssl', 'enable_sessions', 'webhook_disable_auth', 'stats_disable_auth', 'authorized_ips', 'collect_stats', 'cors_origin',
    'debug', 'expire_responses', 'log_access_file', 'log_error_file', 'queue_size', 'socket_queue_size', 'thread_pool',
  ].map((name) => [name, anything] as const),
]); // prettier-ignore

/** A certificate that is missing or cannot be used is found by the gateway, which reads it. */
export function apiProblems({ http_proxies: proxies, rest_cherrypy: settings }: ApiSettings): readonly Problem[] {
  const unfit = proxies.flatMap((name, index) => (isProxy(name) ? [] : [notProxy(name, index)]));
  return [...restProblems(settings), ...unfit];
}

/** @param settings What `rest_cherrypy` says. */
export function restProblems(settings: Value): readonly Problem[] {
  if (!isMap(settings)) {
    const mend = 'write {port: 8000, ssl_crt: FILE, ssl_key: FILE}, or nothing';
    return [{ path: ['rest_cherrypy'], reason: 'this is no mapping of settings', mend }];
  }
  return Object.entries(settings).flatMap(([name, value]) => {
    const fault = faultOf(name, value);
    return fault === undefined ? [] : [{ path: ['rest_cherrypy', name], ...fault }];
  });
}

function faultOf(name: string, value: Value): Fault | undefined {
  if (name === 'api_acl')
    return { reason: 'this is not supported', mend: 'use authorized_ips, or a proxy before this API' };
  const taking = SETTINGS.get(name);
  if (taking === undefined) {
    const near = nearestKey(name, SETTINGS.keys());
    return {
      reason: "this is no setting of Salt's API",
      mend: near === undefined ? 'remove it' : `did you mean ${near}?`,
    };
  }
  const takes = value === null ? undefined : taking(value);
  return takes === undefined ? undefined : { reason: `this is not ${takes}`, mend: 'write one' };
}

function isWhole(value: Value): boolean {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 0;
}

const NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxy(name: string): boolean {
  const [address = '', bits] = name.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return NETWORKS.has(name) || (bits === undefined ? most > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= most);
}

function notProxy(name: string, index: number): Problem {
  const mend = 'it takes an address, a network (10.0.0.0/8), linklocal or uniquelocal';
  return { path: ['http_proxies', index], reason: `'${name}' is no address or network`, mend };
}
