/** PostgreSQL: one connection, and a transaction for each batch, in which an event that is there already is left out. */
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Heard } from '@natrium/events';
import { Client } from 'pg';
import { type Destination, EventRefused, TookTooLong } from './destination.js';
import { type Rows, rowsOf } from './postgres-rows.js';
import { INSERT_EVENTS, INSERT_JIDS, INSERT_RETURNS, READY, TABLES } from './postgres-tables.js';

export interface PostgresOptions {
  readonly url: string;
  /** Holds the password; empty when none is needed. */
  readonly secretFile: string;
  /** Goes into `master_id`. */
  readonly masterId: string;
  /** How long the server may work on one statement; 15 seconds when missing. */
  readonly statementMs?: number;
}

const CONNECT_MS = 5000;
const STATEMENT_MS = 15_000;
/** Beyond the server's own limit: it ends its transaction before nobody waits for it any more. */
const GRACE_MS = 5000;
/** A server that is cut off takes no leave: who stops the service waits no longer for it. */
const LEAVE_MS = 2000;
/** Data exceptions and exceeded limits of the program: the same rows fail again. */
const REFUSALS = /^(?:22|54)/;
/** Their messages quote the value. */
const DATA_EXCEPTIONS = /^22/;
/** The server's word at its own time limit, and the library's, which has no code, at the client's. */
const CANCELED = '57014';
const UNANSWERED = 'Query read timeout';

interface Connected {
  readonly client: Client;
  readonly socket: Socket;
}

export class PostgresDestination implements Destination {
  readonly atOnce = 1000;
  #connected: Connected | undefined;

  constructor(private readonly options: PostgresOptions) {}

  async deliver(events: readonly Heard[]): Promise<void> {
    try {
      const { client } = (this.#connected ??= await this.#connect());
      await this.#insert(client, rowsOf(events));
    } catch (cause) {
      await this.close();
      throw readable(cause);
    }
  }

  async close(): Promise<void> {
    const connected = this.#connected;
    this.#connected = undefined;
    if (connected !== undefined) await leave(connected);
  }

  async #connect(): Promise<Connected> {
    const socket = new Socket();
    const client = new Client({
      connectionString: await this.#address(),
      application_name: 'natrium event-sink',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: this.#statementMs + GRACE_MS,
      keepAlive: true,
      stream: () => socket,
    });
    client.on('error', () => {
      if (this.#connected?.client === client) this.#connected = undefined; // the next batch connects anew
    });
    try {
      await client.connect();
      const { rows } = await client.query(READY);
      if (rows[0]?.['ready'] !== true) await client.query(TABLES);
      return { client, socket };
    } catch (cause) {
      await leave({ client, socket });
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

  get #statementMs(): number {
    return this.options.statementMs ?? STATEMENT_MS;
  }

  /** What is given up, by whichever side, holds no unique keys that the next try would wait for. */
  get #begin(): string {
    const [work, idle] = [String(this.#statementMs), String(this.#statementMs + GRACE_MS)];
    return `BEGIN; SET LOCAL statement_timeout = ${work}; SET LOCAL idle_in_transaction_session_timeout = ${idle}`;
  }

  async #insert(client: Client, { events, jids, returns }: Rows): Promise<void> {
    await client.query(this.#begin);
    await client.query(INSERT_EVENTS, [events, this.options.masterId]);
    if (jids !== undefined) await client.query(INSERT_JIDS, [jids]);
    if (returns !== undefined) await client.query(INSERT_RETURNS, [returns]);
    await client.query('COMMIT');
  }
}

async function leave({ client, socket }: Connected): Promise<void> {
  const timer = setTimeout(() => {
    socket.destroy();
  }, LEAVE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** The database's own errors carry rows with them; only what it says of itself goes on. */
function readable(cause: unknown): Error {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const known = typeof code === 'string' ? code : '';
  const what = DATA_EXCEPTIONS.test(known) ? 'the database cannot hold a value of the event' : message;
  const said = `${typeof what === 'string' ? what : 'it failed'}${known === '' ? '' : ` (${known})`}`;
  if (known === CANCELED || what === UNANSWERED) return new TookTooLong(said);
  return REFUSALS.test(known) ? new EventRefused(said) : new Error(said);
}
