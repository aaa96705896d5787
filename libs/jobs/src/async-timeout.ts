/** Timeout of a job that nobody waits for, in seconds: a day, the longest that any answer may take. */
export const ASYNC_TIMEOUT = 86_400;
