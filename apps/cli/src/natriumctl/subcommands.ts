/** Every subcommand of `natriumctl`, in the order of its help. A new one is a file and a line here. */
import { accounts } from './accounts.js';
import { acl } from './acl.js';
import { audit } from './audit.js';
import { completion } from './completion.js';
import { doctor } from './doctor.js';
import { event } from './event.js';
import { fingerprint } from './fingerprint.js';
import { init } from './init.js';
import { job } from './job.js';
import { keys } from './keys.js';
import { man } from './man.js';
import { roles } from './roles.js';
import type { Subcommand } from './subcommand.js';
import { swarm } from './swarm.js';
import { token } from './token.js';
import { up } from './up.js';

export const SUBCOMMANDS: readonly Subcommand[] = [
  init,
  up,
  doctor,
  fingerprint,
  acl,
  audit,
  accounts,
  token,
  roles,
  keys,
  job,
  event,
  swarm,
  completion,
  man,
];
