/** What a process that runs for months does for itself. */
export { beFrugal, tidyAtRest } from './rest.js';
