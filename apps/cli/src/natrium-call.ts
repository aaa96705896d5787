import { connectAgent } from './link/connect-agent.js';
import { runNatriumCall } from './natrium-call/run-call.js';
import { runAsProcess } from './process-io.js';

export const ended = runAsProcess((argv, io) => runNatriumCall(argv, io, connectAgent));
