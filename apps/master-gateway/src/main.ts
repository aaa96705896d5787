/** The process of a master-gateway: `node main.mjs -c DIR`. `NATRIUM_HTTP_PORT`, `[HOST:]PORT`, counts before the files. */
import { runService } from '@natrium/edge';
import { eventOptions } from './events/event-options.js';
import { GatewayModule } from './gateway.module.js';
import { httpAddress, httpOptions } from './http/http-options.js';
import type { HttpServer } from './http/http-server.js';

let startHttp: (() => Promise<HttpServer>) | undefined;

await runService(
  'gateway',
  ({ link, config, log, metrics, onStop }) => {
    const asked = process.env['NATRIUM_HTTP_PORT'];
    return GatewayModule.create({
      link,
      keepJobsMs: config.keepJobsMs,
      grantTimeoutMs: config.grantTimeoutMs,
      gatherTimeoutMs: config.gatherTimeoutMs,
      requests: config.requests,
      events: eventOptions(config),
      log,
      metrics,
      onStop,
      http: httpOptions(config.loaded, asked === undefined ? undefined : httpAddress(asked)),
      onHttp: (start) => {
        startHttp = start;
      },
    });
  },
  async (start) => {
    const http = await startHttp?.();
    if (http === undefined) return;
    start.log.info({ url: http.url }, 'the HTTP API listens');
    // Who waits there for returns gets them: they come in through the doors.
    start.beforeStop(() => http.close());
  },
);
