import type { Outputter } from './outputter.js';

/** `quiet`: nothing at all; the exit code still speaks. */
export const quiet: Outputter = () => '';
