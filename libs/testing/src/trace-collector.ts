/** What takes traces in a test: OTLP over HTTP as JSON. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { SeenSpans } from './seen-spans.js';

export class TraceCollector extends SeenSpans {
  /** What it answers; only 200 takes them. */
  status = 200;
  /** What it says to that. */
  answer: object = {};

  private constructor(private readonly server: Server) {
    super();
  }

  static async open(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        if (request.url !== '/v1/traces') throw new Error(`traces came to ${String(request.url)}`);
        if (collector.status === 200) collector.take(Buffer.concat(parts).toString());
        response
          .writeHead(collector.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(collector.answer));
      });
    });
    const collector = new TraceCollector(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  /** What `trace_endpoint` takes. */
  get endpoint(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
