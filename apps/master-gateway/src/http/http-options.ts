/**
 * Salt's `rest_cherrypy` settings as this API reads them. A setting that would protect and that is not known here, be it by a slip
 * of the hand, stops the start: ignoring it would open what its author closed.
 */
import { isIP } from 'node:net';
import { ConfigInvalid } from '@natrium/edge';
import { type LoadedConfig, type MasterConfig, nearestKey } from '@natrium/config';
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { listeningAddress, type ListeningAddress } from '@natrium/process';
import { readPair, type TlsFiles, type TlsPair } from './http-tls.js';
import { SettingInvalid } from './setting-invalid.js';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly files: TlsFiles; readonly pair: TlsPair } | undefined;
  /** The HTML file that is served at `appPath`, and to whoever prefers HTML. */
  readonly app: string | undefined;
  readonly appPath: string;
  readonly static: string | undefined;
  readonly staticPath: string;
  /** The file that is `/favicon.ico`. */
  readonly favicon: string | undefined;
  /** Without its final slash; empty: the root. */
  readonly prefix: string;
  /** `enable_sessions`. */
  readonly hasSessions: boolean;
  readonly hookPath: string;
  readonly openHook: boolean;
  readonly openStats: boolean;
  readonly maxBody: number;
  /** Client addresses that are let in; undefined: all. */
  readonly addresses: readonly string[] | undefined;
  /** Whose word about their clients' addresses counts. */
  readonly proxies: readonly string[];
  readonly clients: ReadonlySet<string>;
  /** Seconds that a call waits for returns, where it says nothing itself. */
  readonly timeout: number;
  /** The same of a runner and the wheel. */
  readonly restTimeout: number;
}

const DEFAULT_BODY = 1_048_576;
/** Seconds, as Salt's. */
const DEFAULT_REST_TIMEOUT = 300;
/** As the largest message that a broker may take (`max_payload`): more of it would not come any further. */
const LARGEST_BODY = 67_108_864;
/** All that Salt's API reads, also what has no effect here. (`queue_size` is what its manual calls `socket_queue_size`.) */
const KEYS: ReadonlySet<string> = new Set([
  'port', 'host', 'disable_ssl', 'ssl_crt', 'ssl_key', 'ssl_chain', 'app', 'app_path', 'static', 'static_path', 'root_prefix',
  'enable_sessions', 'webhook_url', 'webhook_disable_auth', 'stats_disable_auth', 'max_request_body_size', 'authorized_ips', 'api_acl',
  'collect_stats', 'cors_origin', 'debug', 'expire_responses', 'favicon', 'log_access_file', 'log_error_file', 'queue_size',
  'socket_queue_size', 'thread_pool',
]); // prettier-ignore

/**
 * Reads `[HOST:]PORT`.
 *
 * @throws {RangeError}
 */
export function httpAddress(text: string): ListeningAddress {
  const address = listeningAddress(text);
  if (address === undefined)
    throw new RangeError(`NATRIUM_HTTP_PORT: '${text}' is no [HOST:]PORT, as 8000 or 0.0.0.0:8000`);
  return address;
}

/**
 * @param asked Counts before the files: `natriumctl up --http-port`, or the container whose proxy has to reach it.
 * @returns undefined when the files ask for no HTTP API.
 * @throws {ConfigInvalid} Names the file and the line.
 */
export function httpOptions(
  { config, locate }: Pick<LoadedConfig<MasterConfig>, 'config' | 'locate'>,
  asked?: ListeningAddress,
): HttpOptions | undefined {
  try {
    return optionsOf(config, asked);
  } catch (cause) {
    if (!(cause instanceof SettingInvalid)) throw cause;
    const { file, line } = locate(cause.path);
    throw new ConfigInvalid(`${file}:${String(line)}: ${cause.message}`, { cause });
  }
}

function optionsOf(config: MasterConfig, asked: ListeningAddress | undefined): HttpOptions | undefined {
  const own = settingsIn(config.rest_cherrypy);
  const chosen = asked?.port ?? numberIn(own, 'port') ?? config.http_port;
  if (chosen === 0) return undefined;
  if (own['api_acl'] !== undefined)
    throw wrong('api_acl', 'is not supported; use authorized_ips, or a proxy before this API');
  return {
    host: asked?.host ?? textIn(own, 'host') ?? (Object.keys(own).length === 0 ? '127.0.0.1' : '0.0.0.0'),
    port: chosen,
    tls: tlsOf(own),
    app: textIn(own, 'app'),
    appPath: pathIn(own, 'app_path', '/app'),
    static: textIn(own, 'static'),
    staticPath: pathIn(own, 'static_path', '/static'),
    favicon: textIn(own, 'favicon'),
    prefix: pathIn(own, 'root_prefix', '/').replace(/\/$/, ''),
    hasSessions: own['enable_sessions'] !== false,
    hookPath: pathIn(own, 'webhook_url', '/hook'),
    openHook: own['webhook_disable_auth'] === true,
    openStats: own['stats_disable_auth'] === true,
    // CherryPy's 0 is no limit. Bodies are read before anybody has logged in, so there is one here.
    maxBody: (numberIn(own, 'max_request_body_size') ?? DEFAULT_BODY) || LARGEST_BODY,
    addresses: addressesIn(own['authorized_ips']),
    proxies: proxiesOf(config.http_proxies),
    clients: new Set(config.netapi_enable_clients),
    timeout: config.timeout,
    // A longer `runner_timeout` is meant for these runs, too; a shorter one only for people who wait at a prompt.
    restTimeout: config.rest_timeout ?? Math.max(DEFAULT_REST_TIMEOUT, config.runner_timeout),
  };
}

function settingsIn(value: Value): ValueMap {
  if (!isMap(value)) {
    const mend = 'is a mapping of settings: write {port: 8000, ssl_crt: FILE, ssl_key: FILE}, or nothing';
    throw new SettingInvalid(['rest_cherrypy'], mend);
  }
  for (const key of Object.keys(value)) {
    if (KEYS.has(key)) continue;
    const near = nearestKey(key, KEYS);
    throw wrong(key, `is no setting of Salt's API: ${near === undefined ? 'remove it' : `did you mean ${near}?`}`);
  }
  return value;
}

function tlsOf(own: ValueMap): HttpOptions['tls'] {
  if (own['disable_ssl'] === true || Object.keys(own).length === 0) return undefined;
  const cert = textIn(own, 'ssl_crt');
  const key = textIn(own, 'ssl_key');
  const chain = textIn(own, 'ssl_chain');
  if (cert === undefined || key === undefined) {
    throw wrong('ssl_crt', 'and ssl_key name the certificate; or set disable_ssl: true where a proxy speaks TLS');
  }
  const files = { ssl_crt: cert, ssl_key: key, ssl_chain: chain };
  return { files, pair: readPair(files) };
}

function addressesIn(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = isList(value) ? value : [value];
  return list.map(String);
}

const NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function proxiesOf(named: readonly string[]): readonly string[] {
  for (const [index, name] of named.entries()) {
    const [address = '', bits] = name.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isNetwork = bits === undefined ? most > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= most;
    if (!NETWORKS.has(name) && !isNetwork)
      throw new SettingInvalid(['http_proxies', index], `is '${name}', which is no address or network`);
  }
  return ['loopback', ...named];
}

function numberIn(own: ValueMap, key: string): number | undefined {
  const value = own[key];
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw wrong(key, 'is a whole number');
  return number;
}

function textIn(own: ValueMap, key: string): string | undefined {
  const value = own[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(key, 'is a text');
  return value;
}

/** Without a slash at its end: what lies below is asked for with one. */
function pathIn(own: ValueMap, key: string, usual: string): string {
  const path = textIn(own, key) ?? usual;
  if (!path.startsWith('/')) throw wrong(key, 'begins with a slash');
  return path.replace(/(.)\/+$/, '$1');
}

function wrong(key: string, what: string): SettingInvalid {
  return new SettingInvalid(['rest_cherrypy', key], what);
}
