/** The other side of a webhook: a real HTTP server on loopback, which checks signatures by itself and answers as it is told. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Arrivals } from './arrivals.js';

export interface Posted {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly isSigned: boolean;
  readonly body: unknown;
  /** What it was answered with. */
  readonly status: number;
}

const NO_CONTENT = 204;
/** A replica looks each two seconds whether it is its turn. */
const PATIENCE_MS = 30_000;

export class WebhookReceiver {
  /** Each post, to be taken once. */
  readonly arrivals = new Arrivals<Posted>('a post', PATIENCE_MS);
  readonly all: Posted[] = [];
  /** The answers to the next posts; then 204. */
  readonly answers: number[] = [];

  private constructor(
    private readonly server: Server,
    /** As the file has it that the sender reads. */
    readonly secret: string,
  ) {
    server.on('request', (request: IncomingMessage, response) => {
      void this.#take(request).then((status) => response.writeHead(status).end());
    });
  }

  static async open(): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve();
      });
    });
    return new WebhookReceiver(server, `whsec_${Buffer.alloc(32, 'k').toString('base64')}`);
  }

  get url(): string {
    const address = this.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://127.0.0.1:${String(port)}/hook`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const header = (name: string) => String(request.headers[name]);
    const status = this.answers.shift() ?? NO_CONTENT;
    const post = {
      id: header('webhook-id'),
      idempotencyKey: header('idempotency-key'),
      isSigned: this.#isSigned(
        `${header('webhook-id')}.${header('webhook-timestamp')}.${text}`,
        header('webhook-signature'),
      ),
      body: JSON.parse(text) as unknown,
      status,
    };
    this.all.push(post);
    this.arrivals.push(post);
    return status;
  }

  #isSigned(signed: string, signature: string): boolean {
    const key = Buffer.from(this.secret.slice('whsec_'.length), 'base64');
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    const said = Buffer.from(signature);
    return said.length === expected.length && timingSafeEqual(said, expected);
  }
}
