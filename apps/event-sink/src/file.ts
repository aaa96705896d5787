/** A file of one JSON object a line, as on the JSON socket. It is opened anew each time, so that whatever rotates logs may take it away. */
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Heard, lineOf } from '@natrium/events';
import type { Destination } from './destination.js';

const OWNER_ONLY = 0o600;
const CHUNK = 65_536;
const LINE_FEED = 10;

export class FileDestination implements Destination {
  readonly atOnce = 1000;

  /** @param others Files of other sinks: none of them is this one under another name. */
  constructor(
    private readonly path: string,
    private readonly others: readonly string[] = [],
  ) {}

  async deliver(events: readonly Heard[]): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a+', OWNER_ONLY);
    try {
      // A pipe or a terminal takes what is written but keeps nothing, so the same events would be written for ever.
      if (!(await file.stat()).isFile()) throw new Error(`${this.path} is no regular file; name one in event_sinks`);
      await this.#refuseShared(file);
      const end = await cutTornLine(file);
      await append(file, events.map(lineOf).join(''), end);
    } finally {
      await file.close();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Each of two sinks cuts off what looks like a torn line to it, which may be what the other one is writing. A link may be made at any time. */
  async #refuseShared(file: FileHandle): Promise<void> {
    const { dev, ino } = await file.stat({ bigint: true });
    for (const other of this.others) {
      const seen = await stat(other, { bigint: true }).catch(() => undefined);
      if (seen?.dev === dev && seen.ino === ino)
        throw new Error(`${this.path} is ${other}, the file of another sink; give each its own in event_sinks`);
    }
  }
}

/** All of it or, on a disk that has no room for all, nothing: what stayed there would stand there again at each further try. */
async function append(file: FileHandle, text: string, end: number): Promise<void> {
  try {
    await file.appendFile(text);
    await file.datasync();
  } catch (cause) {
    const { size } = await file.stat();
    if (size > end) await file.truncate(end); // what rotates logs may have emptied it meanwhile
    throw cause;
  }
}

/** A line that a kill cut off comes again whole: its event was not counted as delivered. @returns Where the file ends then. */
async function cutTornLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const at = buffer.lastIndexOf(LINE_FEED);
    end = at < 0 ? start : start + at + 1;
    if (at >= 0) break;
  }
  if (end < size) await file.truncate(end);
  return end;
}
