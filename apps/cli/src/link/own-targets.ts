/** The reading of targets, for `natrium-call --local match.*`: no other call pays for it. */
export { meansSelf } from '@natrium/matchers';
