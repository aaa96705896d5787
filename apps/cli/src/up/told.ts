/** What of its children's news `up` tells the person who runs it. */

export interface News {
  readonly name: string;
  /** `ready` was printed: from then on nobody but that person lets anybody in, or sees that something is missing. */
  readonly isUp: boolean;
}

/** @returns undefined for the call to accept a key that `up` is about to accept. */
export function lineOf({ name, isUp }: News, line: string): string | undefined {
  return !isUp && line.includes(`waiting for the key of ${name} to be accepted`) ? undefined : `${name}: ${line}`;
}

/** Without the broker, or before all is ready, `up` ends as well and says so by itself. */
export function endOf({ name, isUp }: News, how: string): string {
  const stays = isUp && name !== BROKER ? '; it is not started again: Ctrl-C, then up' : '';
  return `natriumctl: ${name} ended: ${how}${stays}`;
}

export const BROKER = 'nats-server';
