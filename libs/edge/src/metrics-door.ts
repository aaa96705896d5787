/**
 * `--metrics [HOST:]PORT`: what a machine asks a service about itself, over plain HTTP. It tells figures, never content.
 *
 * - `/healthz`: 200 while the process can answer at all;
 * - `/readyz`: 200 when it listens, the broker answers it within two seconds and takes its writes, else 503 with the reason;
 * - `/metrics`: Prometheus text, with `natrium_ready` as `/readyz` would say at that moment.
 *
 * On the loopback unless a host is named: whoever reaches it may read it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '@natrium/model';
import { listeningAddress, within } from '@natrium/process';
import { listenTrouble } from './listen-trouble.js';
import type { ServiceMetrics } from './service-metrics.js';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

const BROKER_MS = 2000;

/** @throws {RangeError} */
export function metricsAddress(text: string): MetricsAddress {
  const address = listeningAddress(text);
  if (address === undefined) throw new RangeError(`--metrics: '${text}' is no [HOST:]PORT, as 9100 or 0.0.0.0:9100`);
  return { host: address.host ?? '127.0.0.1', port: address.port };
}

export interface Asked {
  readonly metrics: ServiceMetrics;
  /** Resolves when the broker has answered. Fails, or stays silent, when it does not. */
  readonly brokerAnswers: () => Promise<void>;
  /** Why the broker takes no writes now; undefined as long as it does. */
  readonly storeTrouble: () => string | undefined;
}

export class MetricsDoor {
  #asked: Asked | undefined;

  private constructor(private readonly server: Server) {}

  /** @throws {Error} When nothing can listen there, with what to do. */
  static async open({ host, port }: MetricsAddress): Promise<MetricsDoor> {
    const server = createServer((request, response) => {
      void door.#answer(request, response);
    });
    const door = new MetricsDoor(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, () => {
        resolve();
      });
    }).catch((cause: unknown) => {
      throw listenTrouble({ host, port }, { what: 'the door of the figures', settings: '--metrics', cause });
    });
    server.unref();
    return door;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** From now on it is ready, as long as the broker answers; undefined: it is stopping. */
  serve(asked: Asked | undefined): void {
    this.#asked = asked;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = (request.url ?? '').split('?')[0];
    if (!isRead) reply(response, 405, 'only GET');
    else if (path === '/healthz') reply(response, 200, 'ok');
    else if (path === '/readyz') await this.#ready(response);
    else if (path === '/metrics') await this.#figures(response);
    else reply(response, 404, 'there are /healthz, /readyz and /metrics');
  }

  async #figures(response: ServerResponse): Promise<void> {
    const asked = this.#asked;
    if (asked === undefined) {
      reply(response, 503, 'starting or stopping');
      return;
    }
    const { metrics } = asked;
    metrics.ready((await troubleOf(asked)) === undefined);
    try {
      const figures = await metrics.registry.metrics();
      response.setHeader('content-type', metrics.registry.contentType).end(figures);
    } catch (cause) {
      // Whoever looks something up for a figure does not end the service when that fails.
      reply(response, 500, `a figure cannot be told: ${messageOf(cause)}`);
    }
  }

  async #ready(response: ServerResponse): Promise<void> {
    const asked = this.#asked;
    if (asked === undefined) {
      reply(response, 503, 'starting or stopping');
      return;
    }
    const trouble = await troubleOf(asked);
    if (trouble === undefined) reply(response, 200, 'ready');
    else reply(response, 503, trouble);
  }
}

/** Why a service that listens is not ready. */
async function troubleOf({ brokerAnswers, storeTrouble }: Asked): Promise<string | undefined> {
  const answered = brokerAnswers().then(
    () => true,
    () => false,
  );
  return (await within(BROKER_MS, answered)) === true ? storeTrouble() : 'the broker does not answer';
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
