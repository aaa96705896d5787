/** The process of an acl-service: `node main.mjs -c DIR`. */
import { runService } from '@natrium/edge';
import { AclModule } from './acl.module.js';
import { answerHello } from './hello-service.js';

await runService(
  'acl',
  ({ link, config, log, metrics, onStop }) => AclModule.create({ link, service: config, onStop, log, metrics }),
  (start) => {
    const listening = answerHello(start.link, start.link.keys.roleKey('acl'));
    start.onStop(() => listening.close());
  },
);
