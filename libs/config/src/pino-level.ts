/** Salt's log levels by the logger's names. */
const LEVELS: Readonly<Record<string, string>> = {
  quiet: 'silent',
  critical: 'fatal',
  error: 'error',
  warning: 'warn',
  info: 'info',
  profile: 'debug',
  debug: 'debug',
  trace: 'trace',
  garbage: 'trace',
  all: 'trace',
};

export function pinoLevel(saltLevel: string): string {
  return LEVELS[saltLevel] ?? 'warn';
}
