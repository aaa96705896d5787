/** What a process that runs for months does for itself, how it is started and ends, and which sockets and ports it takes. */
export { ANY_PORT, freePort, isFree } from './free-port.js';
export { lastingLog, WAITING_LOG_BYTES } from './lasting-log.js';
export { listeningAddress, type ListeningAddress } from './listening-address.js';
export { pause } from './pause.js';
export { programOptions } from './program-options.js';
export { tidyAtRest } from './rest.js';
export { connectToSocket, openSocketFolder, shortSocketPath, type SocketFolder } from './socket-path.js';
export { whenToldToStop } from './stop-signals.js';
export { STOP_MS, UnderWay } from './under-way.js';
export { beFrugal } from './v8-memory.js';
export { LATE, within } from './within.js';
