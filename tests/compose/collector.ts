/** The container `collector`: takes traces, OTLP over HTTP as JSON, and prints each message that comes as a line. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const PORT = 4318;

const server = createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== '/v1/traces') {
    response.writeHead(404).end();
    return;
  }
  text(request).then(
    (body) => {
      process.stdout.write(`${body}\n`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    },
    () => response.destroy(), // its sender has gone, and sends it again
  );
});
process.once('SIGTERM', () => process.exit(0));
server.listen(PORT);
