/** What a process that runs for months does for itself. */
export { tidyAtRest } from './rest.js';
