import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import { httpAddress, type HttpOptions, httpOptions } from './http-options.js';

const CLEAR = 'rest_cherrypy: {port: 8001, host: 192.0.2.1, disable_ssl: true}\n';

/** Where the API listens, by the master file `text` and what the environment asks. */
function listens(text: string, asked?: string): string | undefined {
  const options = optionsOf(text, asked);
  return options && `${options.host} ${String(options.port)}`;
}

function optionsOf(text: string, asked?: string): HttpOptions | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'nt-http-options-'));
  try {
    writeFileSync(join(dir, 'master'), text);
    const loaded = loadMasterConfig(dir);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    return httpOptions(loaded.value, asked === undefined ? undefined : httpAddress(asked));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe('where the HTTP API listens', () => {
  it.each([
    ['nowhere by default', '', undefined, undefined],
    ['http_port: on the loopback', 'http_port: 8000\n', undefined, '127.0.0.1 8000'],
    ['rest_cherrypy: where it says', CLEAR, undefined, '192.0.2.1 8001'],
    ['the environment: only its port, on the loopback', '', '9000', '127.0.0.1 9000'],
    ['the environment: only its port, at the host of rest_cherrypy', CLEAR, '9000', '192.0.2.1 9000'],
    ['the environment: its host too', '', '0.0.0.0:9000', '0.0.0.0 9000'],
    ['the environment before rest_cherrypy', CLEAR, '0.0.0.0:9000', '0.0.0.0 9000'],
    ['the environment, a host of IPv6', '', '[::]:9000', ':: 9000'],
  ])('%s', (_, text, asked, expected) => {
    expect(listens(text, asked)).toBe(expected);
  });

  it.each(['', 'x', '0.0.0.0', ':8000', '65536', '1.2.3.4:99999', '80 '])('refuses the address %j', (text) => {
    expect(() => httpAddress(text)).toThrow(RangeError);
  });

  it('keeps the guards of rest_cherrypy whatever the environment says', () => {
    expect(() => listens('rest_cherrypy: {port: 8001, disable_ssl: true, api_acl: {}}\n', '0.0.0.0:9000')).toThrow(
      'api_acl',
    );
    expect(() => listens('rest_cherrypy: {port: 8001}\n', '0.0.0.0:9000')).toThrow('ssl_crt');
  });
});

describe('rest_cherrypy', () => {
  it('takes what Salt takes, and whom authorized_ips names', () => {
    const others = 'debug: false, thread_pool: 30, socket_queue_size: 9, queue_size: 9, expire_responses: true, collect_stats: true, log_access_file: a, log_error_file: b, cors_origin: "*", favicon: c'; // prettier-ignore
    const options = optionsOf(
      `rest_cherrypy: {port: 8001, disable_ssl: true, authorized_ips: [192.0.2.1], ${others}}\n`,
    );
    expect(options).toMatchObject({ addresses: ['192.0.2.1'], favicon: 'c' });
  });

  it('without any setting leaves the API on the loopback', () => {
    expect(optionsOf('rest_cherrypy: {authorized_ips: [192.0.2.1]}\n')).toBeUndefined();
    expect(optionsOf('http_port: 8000\nrest_cherrypy:\n')?.host).toBe('127.0.0.1');
  });

  it('names the file and the line of a certificate that cannot be read', () => {
    expect(() => optionsOf('rest_cherrypy:\n  port: 8001\n  ssl_key: /nowhere\n  ssl_crt: /nowhere\n')).toThrow(
      /\/master:4: rest_cherrypy\.ssl_crt cannot be read/,
    );
    expect(() => optionsOf('rest_cherrypy:\n  port: 8001\n')).toThrow(
      /\/master:\d: rest_cherrypy\.ssl_crt and ssl_key name/,
    );
  });
});

it('knows the same paths with and without a slash at their end', () => {
  const paths = 'webhook_url: /from/outside/, app_path: /gui/, static_path: /files//, root_prefix: /api/';
  const options = optionsOf(`rest_cherrypy: {port: 8001, disable_ssl: true, ${paths}}\n`);
  expect(options).toMatchObject({ hookPath: '/from/outside', appPath: '/gui', staticPath: '/files', prefix: '/api' });
});

it.each([
  ['', 1_048_576],
  ['max_request_body_size: 65536', 65_536],
  ['max_request_body_size: 0', 67_108_864],
])('a body with %j holds at most %d bytes', (text, most) => {
  expect(optionsOf(`rest_cherrypy: {port: 8001, disable_ssl: true, ${text}}\n`)?.maxBody).toBe(most);
});

it.each([
  ['', 300],
  ['rest_timeout: 20', 20],
  ['rest_timeout: 900', 900],
  ['runner_timeout: 600', 600],
  ['runner_timeout: 30', 300],
  ['rest_timeout: 20\nrunner_timeout: 600', 20],
])('runners that are asked for with %j have %d s', (text, seconds) => {
  expect(optionsOf(`http_port: 8000\n${text}\n`)?.restTimeout).toBe(seconds);
});

it.each([
  ['', true],
  ['enable_sessions: true', true],
  ['enable_sessions: null', true],
  ['enable_sessions: false', false],
])('with %j has sessions: %s', (text, has) => {
  expect(optionsOf(`rest_cherrypy: {port: 8001, disable_ssl: true, ${text}}\n`)?.hasSessions).toBe(has);
});

describe('http_proxies', () => {
  const proxies = (list: string) => optionsOf(`http_port: 8000\nhttp_proxies: ${list}\n`)?.proxies;

  it('are those on the loopback and those that are named', () => {
    expect(optionsOf('http_port: 8000\n')?.proxies).toEqual(['loopback']);
    expect(proxies('[uniquelocal, 192.0.2.1, "10.0.0.0/8", "fd00::/8"]')).toEqual([
      'loopback',
      'uniquelocal',
      '192.0.2.1',
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});
