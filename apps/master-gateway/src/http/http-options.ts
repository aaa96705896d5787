/** Salt's `rest_cherrypy` settings as this API uses them; what they take was looked at when the files were read. */
import { ConfigInvalid } from '@natrium/edge';
import type { LoadedConfig, MasterConfig } from '@natrium/config';
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
  const own = isMap(config.rest_cherrypy) ? config.rest_cherrypy : {};
  const chosen = asked?.port ?? numberIn(own, 'port') ?? config.http_port;
  if (chosen === 0) return undefined;
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
    proxies: ['loopback', ...config.http_proxies],
    clients: new Set(config.netapi_enable_clients),
    timeout: config.timeout,
    // A longer `runner_timeout` is meant for these runs, too; a shorter one only for people who wait at a prompt.
    restTimeout: config.rest_timeout ?? Math.max(DEFAULT_REST_TIMEOUT, config.runner_timeout),
  };
}

function tlsOf(own: ValueMap): HttpOptions['tls'] {
  if (own['disable_ssl'] === true || Object.keys(own).length === 0) return undefined;
  const cert = textIn(own, 'ssl_crt');
  const key = textIn(own, 'ssl_key');
  const chain = textIn(own, 'ssl_chain');
  if (cert === undefined || key === undefined) {
    const mend = 'and ssl_key name the certificate; or set disable_ssl: true where a proxy speaks TLS';
    throw new SettingInvalid(['rest_cherrypy', 'ssl_crt'], mend);
  }
  const files = { ssl_crt: cert, ssl_key: key, ssl_chain: chain };
  return { files, pair: readPair(files) };
}

function addressesIn(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = isList(value) ? value : [value];
  return list.map(String);
}

function numberIn(own: ValueMap, key: string): number | undefined {
  const value = own[key];
  return value === undefined || value === null ? undefined : Number(value);
}

function textIn(own: ValueMap, key: string): string | undefined {
  const value = own[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Without a slash at its end: what lies below is asked for with one. */
function pathIn(own: ValueMap, key: string, usual: string): string {
  return (textIn(own, key) ?? usual).replace(/(.)\/+$/, '$1');
}
