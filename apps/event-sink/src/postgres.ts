/** PostgreSQL: one connection, and a transaction for each batch, in which an event that is there already is left out. */
import { readFile } from 'node:fs/promises';
import type { Heard } from '@natrium/events';
import { Client } from 'pg';
import { type Destination, EventRefused } from './destination.js';
import { type Rows, rowsOf } from './postgres-rows.js';
import { INSERT_EVENTS, INSERT_JIDS, INSERT_RETURNS, READY, TABLES } from './postgres-tables.js';

export interface PostgresOptions {
  readonly url: string;
  /** Holds the password; empty when none is needed. */
  readonly secretFile: string;
  /** Goes into `master_id`. */
  readonly masterId: string;
}

const CONNECT_MS = 5000;
const QUERY_MS = 20_000;
/** Data exceptions and exceeded limits of the program: the same rows fail again. */
const REFUSALS = /^(?:22|54)/;
/** Their messages quote the value. */
const DATA_EXCEPTIONS = /^22/;

export class PostgresDestination implements Destination {
  readonly atOnce = 1000;
  #client: Client | undefined;

  constructor(private readonly options: PostgresOptions) {}

  async deliver(events: readonly Heard[]): Promise<void> {
    try {
      const client = (this.#client ??= await this.#connect());
      await this.#insert(client, rowsOf(events));
    } catch (cause) {
      await this.close();
      throw readable(cause);
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: await this.#address(),
      application_name: 'natrium event-sink',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      keepAlive: true,
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined; // the next batch connects anew
    });
    try {
      await client.connect();
      const { rows } = await client.query(READY);
      if (rows[0]?.['ready'] !== true) await client.query(TABLES);
      return client;
    } catch (cause) {
      await client.end().catch(() => undefined);
      throw cause;
    }
  }

  /** The library takes a password beside an address only within it. */
  async #address(): Promise<string> {
    const address = new URL(this.options.url);
    const { secretFile } = this.options;
    if (secretFile !== '') address.searchParams.set('password', (await readFile(secretFile, 'utf8')).trimEnd());
    return address.href;
  }

  async #insert(client: Client, { events, jids, returns }: Rows): Promise<void> {
    await client.query('BEGIN');
    await client.query(INSERT_EVENTS, [events, this.options.masterId]);
    if (jids !== undefined) await client.query(INSERT_JIDS, [jids]);
    if (returns !== undefined) await client.query(INSERT_RETURNS, [returns]);
    await client.query('COMMIT');
  }
}

/** The database's own errors carry rows with them; only what it says of itself goes on. */
function readable(cause: unknown): Error {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const known = typeof code === 'string' ? code : '';
  const what = DATA_EXCEPTIONS.test(known) ? 'the database cannot hold a value of the event' : message;
  const said = `${typeof what === 'string' ? what : 'it failed'}${known === '' ? '' : ` (${known})`}`;
  return REFUSALS.test(known) ? new EventRefused(said) : new Error(said);
}
