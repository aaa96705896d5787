/** What a process that runs for months does for itself, and how it ends. */
export { beFrugal, tidyAtRest } from './rest.js';
export { connectToSocket, openSocketFolder, shortSocketPath, type SocketFolder } from './socket-path.js';
export { whenToldToStop } from './stop-signals.js';
export { finished, STOP_MS, UnderWay } from './under-way.js';
