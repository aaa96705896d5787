import { connectMaster } from './link/connect-master.js';
import { runNatriumRun } from './natrium-run/run-run.js';
import { runAsProcess } from './process-io.js';

export const ended = runAsProcess((argv, io) => runNatriumRun(argv, io, connectMaster));
