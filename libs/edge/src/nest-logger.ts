import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own log lines go into ours; what Nest calls information is only detail here. */
export function nestLogger(log: Logger): LoggerService {
  const at = (level: 'debug' | 'warn' | 'error') => (message: unknown) => {
    log[level](message instanceof Error ? { err: message } : { nest: String(message) }, 'nest');
  };
  return {
    log: at('debug'),
    warn: at('warn'),
    error: at('error'),
    debug: at('debug'),
    verbose: at('debug'),
    fatal: at('error'),
  };
}
