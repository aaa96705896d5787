/** A cluster with the HTTP API of two gateways, users in an htpasswd file, and the words of a client. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apacheMd5 from 'apache-md5';
import { freePort } from '@natrium/process';
import { until } from '@natrium/testing';
import { hashSync } from 'bcryptjs';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const apr1 = apacheMd5 as unknown as (password: string) => string;

export const PASSWORDS = { alice: 'wonderland', bob: 'builder', carol: 'sing', dave: 'drive' } as const;
export type User = keyof typeof PASSWORDS;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of JSON; undefined otherwise. */
  readonly body: unknown;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whose session; none without. */
  readonly token?: string;
  /** Which gateway. */
  readonly at?: 0 | 1;
}

export class HttpWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-http-'));
  #cluster: UpCluster | undefined;
  #port = 0;
  readonly #tokens = new Map<User, Promise<string>>();

  async start(): Promise<void> {
    writeFileSync(join(this.folder, 'users'), users());
    writeFileSync(join(this.folder, 'index.html'), '<!DOCTYPE html><title>a page of one’s own</title>');
    writeFileSync(join(this.folder, 'app.js'), 'export {};');
    this.#port = await freePort(2);
    this.#cluster = await upCluster({
      minions: ['a', 'b', 'c'],
      masterConfig: masterFile(this.folder),
      replicas: { 'master-gateway': 2 },
      httpPort: this.#port,
    });
  }

  async stop(): Promise<void> {
    await this.#cluster?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get cluster(): UpCluster {
    if (this.#cluster === undefined) throw new Error('the cluster has not started');
    return this.#cluster;
  }

  url(at: 0 | 1 = 0): string {
    return `http://127.0.0.1:${String(this.#port + at)}`;
  }

  get port(): number {
    return this.#port;
  }

  /** The number of its process. */
  gateway(at: 0 | 1): number {
    const port = `NATRIUM_HTTP_PORT=${String(this.#port + at)}`;
    const found = this.cluster.processes().find(({ name, pid }) => {
      const words = name.startsWith('master-gateway') ? readFileSync(`/proc/${String(pid)}/environ`, 'utf8') : '';
      return words.split('\0').includes(port);
    });
    if (found === undefined) throw new Error(`no gateway has ${port}`);
    return found.pid;
  }

  async ask(path: string, { method, headers = {}, body, token, at = 0 }: Ask = {}): Promise<Answer> {
    const answer = await fetch(this.url(at) + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { Accept: 'application/json', ...(token === undefined ? {} : { 'X-Auth-Token': token }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: jsonIn(text) };
  }

  /** A lowstate or several, as JSON. */
  low(token: string | undefined, lowstate: unknown, more: Ask = {}): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json', ...more.headers };
    return this.ask('/', {
      ...more,
      headers,
      body: JSON.stringify(lowstate),
      ...(token === undefined ? {} : { token }),
    });
  }

  login(user: User, more: Readonly<Record<string, string>> = {}, at: 0 | 1 = 0): Promise<Answer> {
    const form = new URLSearchParams({ username: user, password: PASSWORDS[user], eauth: 'file', ...more });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.ask('/login', { body: form.toString(), headers, at });
  }

  tokenOf(user: User): Promise<string> {
    const known = this.#tokens.get(user) ?? this.login(user).then((answer) => tokenIn(answer));
    this.#tokens.set(user, known);
    return known;
  }

  /** The audit's records that fit, as `natriumctl audit tail` tells them, as soon as there is one: records are written soon after the answer. */
  recorded(fits: (line: string) => boolean): Promise<readonly string[]> {
    return until('it is in the audit', async () => {
      const { stdout } = await this.cluster.ctl('audit', 'tail', '--json');
      const found = stdout.split('\n').filter(fits);
      return found.length > 0 && found;
    });
  }

  /** Jobs that there are, as somebody sees them who may run every runner. */
  async jobCount(): Promise<number> {
    const { status, body } = await this.low(await this.tokenOf('alice'), { client: 'runner', fun: 'jobs.list_jobs' });
    if (status !== 200) throw new Error(`the jobs are not told: ${String(status)}`);
    return Object.keys((body as { return: [object] }).return[0]).length;
  }
}

export function tokenIn({ body, headers }: Answer): string {
  const [first] = (body as { return: [{ token: string }] }).return;
  if (headers.get('X-Auth-Token') !== first.token) throw new Error('header and body tell different tokens');
  return first.token;
}

/** One cluster for all tests of a file. */
export function useHttp(): HttpWorld {
  const world = new HttpWorld();
  beforeAll(() => world.start(), START_MS);
  afterAll(() => world.stop());
  return world;
}

function users(): string {
  const sha = (password: string) => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
  const { alice, bob, carol, dave } = PASSWORDS;
  return `alice:${hashSync(alice, 4)}\nbob:${apr1(bob)}\ncarol:${sha(carol)}\ndave:${sha(dave)}\n`;
}

function masterFile(folder: string): string {
  return `
netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel]
rest_cherrypy:
  port: 1
  host: 127.0.0.1
  disable_ssl: true
  app: ${folder}/index.html
  static: ${folder}
  max_request_body_size: 65536
token_expire_user_override:
  file: [bob]
external_auth:
  file:
    ^filename: ${folder}/users
    ^filetype: htpasswd
    alice: ['.*', '@runner', '@wheel']
    bob: ['test.*', {'a*': ['cmd.*']}]
    dave: [{'@runner': ['test.*']}, {'@wheel': ['key.list_all']}]
`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
