/** A sink's file on a disk that is full: what did not fit as a whole leaves nothing there, so that no try repeats an event. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Heard } from '@natrium/events';
import { FileDestination } from '../../apps/event-sink/src/file.js';
import { SmallDisk } from './small-disk.js';

let disk: SmallDisk;
beforeEach(() => {
  disk = SmallDisk.mount(mkdtempSync(join(tmpdir(), 'nt-sink-')), 256);
});
afterEach(() => {
  disk.unmount();
  rmSync(disk.folder, { recursive: true });
});

const anEvent = (n: number): Heard => ({
  tag: 'monitoring/web1',
  data: { n, text: 'x'.repeat(900) },
  stamp: '2026-11-21T12:00:00.000000',
  cursor: `${String(n)}.0`,
  origin: { kind: 'minion', name: 'web1' },
  id: `abc.${String(n)}`,
});

it('has of a batch that does not fit nothing, however often it is tried, and all of it once there is room', async () => {
  const path = join(disk.folder, 'events.jsonl');
  const file = new FileDestination(path);
  await file.deliver([anEvent(0)]);
  const { size } = statSync(path);
  const batch = Array.from({ length: 100 }, (_, n) => anEvent(n + 1));
  // Room for half of the batch, in the file's last page and behind it.
  disk.fill(64);
  for (let tries = 0; tries < 3; tries += 1) {
    await expect(file.deliver(batch)).rejects.toThrow('ENOSPC');
    expect(statSync(path).size).toBe(size);
  }
  disk.free();
  await file.deliver(batch);
  const ids = readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => (JSON.parse(line) as Heard).id); // prettier-ignore
  expect(ids).toEqual([anEvent(0), ...batch].map(({ id }) => id));
});
