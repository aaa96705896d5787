/** What `natriumctl doctor` says of one thing that it looked at. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  /** What was looked at: one word or two, the same each time, for monitoring. */
  readonly check: string;
  readonly level: Level;
  readonly what: string;
  /** What to do; empty where nothing is wrong. */
  readonly mend: string;
}

export function fine(check: string, what: string): Finding {
  return { check, level: 'ok', what, mend: '' };
}

export function warning(check: string, what: string, mend: string): Finding {
  return { check, level: 'warning', what, mend };
}

export function problem(check: string, what: string, mend: string): Finding {
  return { check, level: 'problem', what, mend };
}
