/** The process of a master-gateway: `node main.mjs -c DIR`. `NATRIUM_HTTP_PORT`, `[HOST:]PORT`, counts before the files. */
import { runService } from '@natrium/edge';
import { eventOptions } from './events/event-options.js';
import { GatewayModule } from './gateway.module.js';
import { httpAddress, httpOptions } from './http/http-options.js';

export const ended = runService('gateway', ({ link, config, log, metrics, onListening, beforeStop, onStop }) => {
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
    onHttp: (listen) => {
      onListening(async () => {
        const http = await listen();
        log.info({ url: http.url }, 'the HTTP API listens');
        // Before the gateway leaves its queue: clients that wait for returns still get them, since those come in through the doors.
        beforeStop(() => http.close());
      });
    },
  });
});
