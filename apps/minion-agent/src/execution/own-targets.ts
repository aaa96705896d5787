/** The reading of targets, for `match.*`: an agent takes what the master chose, and holds none of it before it is asked. */
export { meansSelf } from '@natrium/matchers';
