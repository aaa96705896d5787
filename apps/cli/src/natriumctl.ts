import { runFingerprint } from './init/fingerprint.js';
import { runInit } from './init/init.js';
import { runNatriumctl } from './natriumctl/run-ctl.js';
import { runAsProcess } from './process-io.js';
import { runUp } from './up/up.js';

await runAsProcess((argv, io) =>
  runNatriumctl(argv, io, {
    connectMaster: async (options) => (await import('./link/connect-master.js')).connectMaster(options),
    up: runUp,
    init: runInit,
    fingerprint: runFingerprint,
    doctor: async (options) => (await import('./doctor/run-doctor.js')).runDoctor(options, io),
    audit: async (options) => (await import('./audit/run-audit.js')).runAudit(options, io),
    event: async (options) => (await import('./events/run-event.js')).runEvent(options, io),
    accounts: async (options) => (await import('./accounts/sync.js')).runAccountsSync(options, io),
    token: async (options) => (await import('./tokens/run-token.js')).runToken(options, io),
    hearJob: async (configDir, jid) => (await import('./events/hear-job.js')).hearJob(configDir, jid),
    swarm: async (options) => (await import('./swarm/run-swarm.js')).runSwarm(options, io),
  }),
);
