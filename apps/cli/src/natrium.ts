import { connectMaster } from './link/connect-master.js';
import { runNatrium } from './natrium/run-natrium.js';
import { runAsProcess } from './process-io.js';

export const ended = runAsProcess((argv, io) => runNatrium(argv, io, connectMaster));
