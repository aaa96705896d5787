import { connectMaster } from './link/connect-master.js';
import { runNatriumKey } from './natrium-key/run-key.js';
import { runAsProcess } from './process-io.js';

export const ended = runAsProcess((argv, io) => runNatriumKey(argv, io, connectMaster));
