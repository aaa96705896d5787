/** What is used of node-postgres, which brings no types of its own. */
declare module 'pg' {
  import type { Socket } from 'node:net';

  export interface ClientOptions {
    readonly connectionString: string;
    readonly application_name?: string;
    readonly connectionTimeoutMillis?: number;
    readonly query_timeout?: number;
    readonly keepAlive?: boolean;
    /** Makes the socket that it connects, and speaks TLS over. */
    readonly stream?: () => Socket;
  }
  export type Row = Readonly<Record<string, unknown>>;
  export class Client {
    constructor(options: ClientOptions);
    connect(): Promise<void>;
    query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
    on(event: 'error', listener: (error: Error) => void): this;
    end(): Promise<void>;
  }
}
