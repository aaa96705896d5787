/** A cluster with the built-in page, its users, and a browser that looks at it through a proxy that can be cut. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '@natrium/process';
import { Proxy } from '../drills/proxy.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';
import { startBrowser } from './browser.js';

const PASSWORDS = { alice: 'wonderland', bob: 'builder' } as const;
export type User = keyof typeof PASSWORDS;
export type Theme = 'light' | 'dark';

/** Chromium may have to be installed first. */
const BEGIN_MS = START_MS + 300_000;
const WAIT_MS = 60_000;
const VIEWPORT = { width: 1200, height: 700 } as const;

export class UiWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-ui-'));
  /** Addresses that any page asked for. */
  readonly asked: string[] = [];
  /** What the pages complained of: a script that failed, a rule of their policy that was broken. */
  readonly complaints: string[] = [];
  #contexts: BrowserContext[] = [];
  #cluster: UpCluster | undefined;
  #browser: Browser | undefined;
  #proxy: Proxy | undefined;
  #port = 0;

  async start(): Promise<void> {
    const users = Object.entries(PASSWORDS).map(([name, password]) => `${name}:${hashSync(password, 4)}\n`);
    writeFileSync(join(this.folder, 'users'), users.join(''));
    this.#browser = await startBrowser();
    this.#port = await freePort(1);
    const minions = ['db1', 'web1', 'web2'];
    this.#cluster = await upCluster({ minions, masterConfig: masterFile(this.folder), httpPort: this.#port });
    this.#proxy = await Proxy.to(this.#port);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    this.#proxy?.close();
    await this.#cluster?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get cluster(): UpCluster {
    return begun(this.#cluster);
  }

  get proxy(): Proxy {
    return begun(this.#proxy);
  }

  /** Where the browser finds the page. */
  get url(): string {
    return `http://127.0.0.1:${String(this.proxy.port)}/ui`;
  }

  /** The page as somebody opens it who has never been here. */
  async open(theme: Theme = 'light'): Promise<Page> {
    const context = await begun(this.#browser).newContext({ colorScheme: theme, viewport: VIEWPORT });
    context.setDefaultTimeout(WAIT_MS);
    this.#contexts.push(context);
    const page = await context.newPage();
    page.on('request', (request) => this.asked.push(request.url()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    // A refusal is an answer; the browser writes down each that is no 2xx, and each connection that breaks.
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().startsWith('Failed to load resource')) this.complaints.push(said.text());
    }); // prettier-ignore
    await page.goto(this.url);
    return page;
  }

  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    this.#contexts = [];
  }

  async logIn(page: Page, user: User, password: string = PASSWORDS[user]): Promise<void> {
    await page.getByLabel('User name').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Back end').selectOption('file');
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  /** Logged in, with events coming. */
  async openAs(user: User, theme: Theme = 'light'): Promise<Page> {
    const page = await this.open(theme);
    await this.logIn(page, user);
    await this.show(page, 'Events');
    await this.isLive(page);
    return page;
  }

  async isLive(page: Page): Promise<void> {
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  }

  async show(page: Page, view: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: view }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }

  /** Begins a job past the page, as a user. */
  async begin(user: User, low: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await this.#ask('/', await this.#headersOf(user), { client: 'local_async', ...low });
    const [{ jid }] = answer as [{ jid: string }];
    return jid;
  }

  /** Events, one after the other. */
  async fire(tags: readonly string[], data: object = {}): Promise<void> {
    const headers = await this.#headersOf('alice');
    for (const tag of tags) await this.#ask(`/hook/${tag}`, headers, data);
  }

  async jobCount(): Promise<number> {
    const { stdout } = await this.cluster.run('jobs.list_jobs', '--out', 'json');
    return Object.keys(JSON.parse(stdout) as object).length;
  }

  async #headersOf(user: User): Promise<Readonly<Record<string, string>>> {
    const login = { username: user, password: PASSWORDS[user], eauth: 'file' };
    const [{ token }] = (await this.#ask('/login', {}, login)) as [{ token: string }];
    return { 'X-Auth-Token': token };
  }

  async #ask(path: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${String(this.#port)}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
    return ((await answer.json()) as { return: unknown }).return;
  }
}

/** One cluster and one browser for all tests of a file; pages for each. */
export function useUi(): UiWorld {
  const world = new UiWorld();
  beforeAll(() => world.start(), BEGIN_MS);
  afterEach(() => world.closePages());
  afterAll(() => world.stop());
  return world;
}

function begun<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the world has not started');
  return part;
}

function masterFile(folder: string): string {
  return `
netapi_enable_clients: [local, local_async, runner, wheel]
rest_cherrypy:
  port: 1
  host: 127.0.0.1
  disable_ssl: true
external_auth:
  file:
    ^filename: ${folder}/users
    ^filetype: htpasswd
    alice: ['.*', '@runner', '@wheel']
    bob: ['test.*', {'web*': ['cmd.*']}]
`;
}
