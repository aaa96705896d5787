import { runNatriumctl } from './natriumctl/run-ctl.js';
import { runAsProcess } from './process-io.js';

// What a subcommand does is loaded when it is asked for: no other one waits for it.
export const ended = runAsProcess((argv, processIo) =>
  runNatriumctl(argv, processIo, {
    connectMaster: async (options) => (await import('./link/connect-master.js')).connectMaster(options),
    up: async (options, io) => (await import('./up/up.js')).runUp(options, io),
    init: async (options, io) => (await import('./init/init.js')).runInit(options, io),
    fingerprint: async (options, io) => (await import('./init/fingerprint.js')).runFingerprint(options, io),
    doctor: async (options, io) => (await import('./doctor/run-doctor.js')).runDoctor(options, io),
    audit: async (options, io) => (await import('./audit/run-audit.js')).runAudit(options, io),
    event: async (options, io) => (await import('./events/run-event.js')).runEvent(options, io),
    accounts: async (options, io) => (await import('./accounts/sync.js')).runAccountsSync(options, io),
    token: async (options, io) => (await import('./tokens/run-token.js')).runToken(options, io),
    hearJob: async (configDir, jid) => (await import('./events/hear-job.js')).hearJob(configDir, jid),
    swarm: async (options, io) => (await import('./swarm/run-swarm.js')).runSwarm(options, io),
    documented: async (io) => (await import('./manual/all-documented.js')).allDocumented(io),
  }),
);
