/** What a process under test logged, as its structured lines. */
import { Arrivals } from './arrivals.js';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  /** Why a message was not opened. */
  readonly reason?: string;
  readonly subject?: string;
}

export class LogLines {
  /** Reasons of messages that were not opened, each to be taken once. */
  readonly turnedAway = new Arrivals<string>('a message that was not opened');
  readonly all: LogLine[] = [];

  /** @param text One line of JSON. */
  readonly hear = (text: string): void => {
    const line = JSON.parse(text) as LogLine;
    this.all.push(line);
    if (line.reason !== undefined) this.turnedAway.push(line.reason);
  };
}
