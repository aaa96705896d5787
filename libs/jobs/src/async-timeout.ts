/** Of what nobody waits for, in seconds: a day, which is as long as an answer may take. */
export const ASYNC_TIMEOUT = 86_400;
