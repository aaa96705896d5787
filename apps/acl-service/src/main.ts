/** The process of an acl-service: `node main.mjs -c DIR`. */
import { runService } from '@natrium/edge';
import { AclModule } from './acl.module.js';

export const ended = runService('acl', ({ config, ...start }) => AclModule.create({ ...start, service: config }));
