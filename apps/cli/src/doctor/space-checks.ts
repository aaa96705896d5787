/** How full the broker's stores are: where one takes nothing more, no job is published and no return kept. */
import { existsSync, statfsSync } from 'node:fs';
import { type Finding, fine, problem, warning } from './finding.js';

/** What one node says of its JetStream's room, in bytes. */
export interface SpaceSeen {
  readonly name: string;
  readonly stored: number;
  /** `max_file`, as it was set or as the node took it; 0 when it did not say. */
  readonly atMost: number;
  /** On the node's own host. */
  readonly folder: string;
}

/** A file system of this host, in bytes. */
export interface DiskSeen {
  readonly path: string;
  readonly used: number;
  /** To who is not root. */
  readonly free: number;
}

const [NOTICED, NEAR] = [70, 85];
/** Of a disk that others use as well. */
const [DISK_NOTICED, DISK_NEAR] = [85, 95];
const GIB = 2 ** 30;

export function checkSpace(nodes: readonly SpaceSeen[]): readonly Finding[] {
  const known = nodes.filter(({ atMost }) => atMost > 0);
  const findings = known.flatMap(({ name, stored, atMost }) => {
    const percent = Math.floor((stored * 100) / atMost);
    if (percent < NOTICED) return [];
    const said = `JetStream on ${name} holds ${gib(stored)} of the ${gib(atMost)} that it may (${String(percent)} %): when it is full no job is published`;
    const mend =
      'keep less (keep_jobs_seconds, keep_events, keep_events_bytes), or raise max_file in its jetstream {} where the disk has room, and start it again';
    return [(percent < NEAR ? warning : problem)('jetstream space', said, mend)];
  });
  if (known.length === 0 || findings.length > 0) return findings;
  return [fine('jetstream space', `each node has used less than ${String(NOTICED)} % of what it may`)];
}

export function checkDisks(disks: readonly DiskSeen[]): readonly Finding[] {
  return disks.map(({ path, used, free }) => {
    const percent = Math.floor((used * 100) / Math.max(1, used + free));
    const said = `the disk of ${path} is ${String(percent)} % full: ${gib(free)} are left`;
    if (percent < DISK_NOTICED) return fine('disk space', said);
    const mend = 'remove from that disk what is not needed, or give the broker a larger one';
    return (percent < DISK_NEAR ? warning : problem)('disk space', said, mend);
  });
}

/** Of those folders that are on this host, each once; a node elsewhere looks after its own. */
export function disksHere(nodes: readonly SpaceSeen[]): readonly DiskSeen[] {
  const folders = new Set(nodes.map(({ folder }) => folder).filter((folder) => folder !== '' && existsSync(folder)));
  return [...folders].map((path) => {
    const { bsize, blocks, bfree, bavail } = statfsSync(path);
    return { path, used: (blocks - bfree) * bsize, free: bavail * bsize };
  });
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
