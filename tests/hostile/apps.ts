/** The real programs, as their `main.ts` files start them. */
import { openService } from '@natrium/edge';
import type { Apps } from '@natrium/testing/cluster';
import { pino } from 'pino';
import { AclModule } from '../../apps/acl-service/src/acl.module.js';
import { startAgent } from '../../apps/minion-agent/src/agent.js';

const logTo: Apps['logTo'] = (hear) => pino({ level: 'trace' }, { write: hear });

export const apps: Apps = {
  logTo,
  openAcl: (config, hear) =>
    openService({ role: 'acl', config, log: logTo(hear) }, ({ config: service, ...start }) =>
      AclModule.create({ ...start, service }),
    ),
  startAgent: (config, hear, signal) => startAgent(config, logTo(hear), signal),
};
