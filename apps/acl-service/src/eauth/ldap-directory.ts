/** One connection to a directory: encrypted before anything secret goes over it, every step with a time-out. */
import {
  Client,
  type Entry,
  InsufficientAccessError,
  NoSuchObjectError,
  ResultCodeError,
  SizeLimitExceededError,
} from 'ldapts';
import { BackEndFailed, type BackEndParts } from './back-end.js';
import type { Address, LdapSettings } from './ldap-settings.js';

export type Found = Readonly<Record<string, readonly string[]>> & { readonly dn: readonly [string] };

export interface Search {
  readonly base: string;
  readonly filter: string;
  readonly scope?: LdapSettings['scope'];
  readonly attributes?: readonly string[];
  /** More than this: undefined. */
  readonly most?: number;
  /** What the directory lets nobody read is not there; else that fails. */
  readonly mayBeHidden?: boolean;
}

const STEP_MS = 3000;
/** What directories answer when somebody may not come in: wrong password, locked, expired, no such name, no name at all. */
const REFUSALS: ReadonlySet<number> = new Set([19, 32, 34, 48, 49, 50, 53]);
const MAX_GROUPS = 10_000;

/** The directory in use, and who hears what became of its addresses. */
export interface DirectoryWay {
  readonly settings: LdapSettings;
  readonly log: BackEndParts['log'];
}

/**
 * Asks the directory on a connection of its own, at the first of its addresses that answers.
 *
 * @param work Begins anew at the next address while nobody has answered it anything.
 * @throws {BackEndFailed}
 */
export async function withDirectory<T>(
  { settings, log }: DirectoryWay,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  const [address, next, ...later] = settings.addresses;
  const directory = new Directory(address, settings.starttls);
  try {
    await directory.open();
    return await work(directory);
  } catch (cause) {
    if (next === undefined || directory.hasAnswered) throw cause;
    log.warn({ eauth: 'ldap', err: cause }, 'a directory does not answer; the next address is asked');
  } finally {
    await directory.close();
  }
  return withDirectory({ settings: { ...settings, addresses: [next, ...later] }, log }, work);
}

export class Directory {
  readonly #client: Client;
  readonly #tls: Address['tls'];
  readonly #url: string;
  #hasAnswered = false;

  constructor(
    { url, tls }: Address,
    private readonly needsTls: boolean,
  ) {
    // The client takes any tlsOptions for LDAPS, whatever the address says.
    const isLdaps = url.startsWith('ldaps:');
    const limits = { timeout: STEP_MS, connectTimeout: STEP_MS, strictDN: false };
    this.#client = new Client({ url, ...limits, ...(isLdaps ? { tlsOptions: { ...tls } } : {}) });
    this.#tls = tls;
    this.#url = url;
  }

  /** Whether anything came back, be it a refusal. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** With StartTLS everything else comes after it. */
  async open(): Promise<void> {
    if (!this.needsTls) return;
    try {
      await this.#startTls();
    } catch (cause) {
      throw this.#failed('StartTLS', cause);
    }
  }

  /** The client waits for ever for a handshake that nobody goes on with. */
  async #startTls(): Promise<void> {
    const tooLong = new AbortController();
    const timer = setTimeout(() => {
      tooLong.abort();
    }, STEP_MS);
    try {
      const options = { ...this.#tls, signal: tooLong.signal };
      await this.#client.startTLS(options);
    } catch (cause) {
      throw tooLong.signal.aborted ? new Error('it took too long', { cause }) : cause;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns Whether the directory took the name and the password; an empty one would be no proof, and is not sent. */
  async bind(dn: string, password: string): Promise<boolean> {
    if (dn === '' || password === '') return false;
    try {
      this.#checkTls();
      await this.#client.bind(dn, password);
      this.#hasAnswered = true;
      return true;
    } catch (cause) {
      const failed = this.#failed('a bind', cause);
      if (cause instanceof ResultCodeError && REFUSALS.has(cause.code)) return false;
      throw failed;
    }
  }

  /** @returns undefined when there are more than were asked for. */
  async search({
    base,
    filter,
    scope = 'sub',
    attributes,
    most = MAX_GROUPS,
    mayBeHidden = false,
  }: Search): Promise<readonly Found[] | undefined> {
    const wanted = attributes === undefined ? {} : { attributes: [...attributes] };
    try {
      this.#checkTls();
      const options = { scope, filter, sizeLimit: most + 1, timeLimit: STEP_MS / 1000, ...wanted };
      const { searchEntries } = await this.#client.search(base, options);
      this.#hasAnswered = true;
      return searchEntries.length > most ? undefined : searchEntries.map(foundIn);
    } catch (cause) {
      const failed = this.#failed('a search', cause);
      if (cause instanceof SizeLimitExceededError) return undefined;
      // Directories say so too of what somebody may not see.
      if (cause instanceof NoSuchObjectError || (mayBeHidden && cause instanceof InsufficientAccessError)) return [];
      throw failed;
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#client.isConnected) await this.#client.unbind();
    } catch {
      // It is gone, which was the aim.
    }
  }

  /** The client would connect again by itself, and in clear. */
  #checkTls(): void {
    if (this.needsTls && !this.#client.isConnected) throw new Error('the connection was lost');
  }

  /** The cause stays here: it may hold what was asked. */
  #failed(what: string, cause: unknown): BackEndFailed {
    this.#hasAnswered ||= cause instanceof ResultCodeError;
    if (cause instanceof BackEndFailed) return cause;
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'no reason given';
    return new BackEndFailed(`ldap: ${what} at ${this.#url} failed: ${why.slice(0, 300)}`);
  }
}

function foundIn(entry: Entry): Found {
  const attributes = Object.entries(entry).map(([name, value]) => [name, textsOf(value)] as const);
  return { ...Object.fromEntries(attributes), dn: [entry.dn] };
}

function textsOf(value: Entry[string]): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

/** The values of an attribute, whose name the directory may spell in another case. */
export function valuesOf(found: Found, attribute: string): readonly string[] {
  const name = Object.keys(found).find((one) => one.toLowerCase() === attribute.toLowerCase());
  return name === undefined ? [] : (found[name] ?? []);
}
