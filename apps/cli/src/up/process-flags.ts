/**
 * How the processes are started that V8's own settings do not fit, here as in the units, the image and docker-compose.yml. All
 * numbers are measured.
 */

export interface How {
  /** Node's own. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The same process with the HTTP API on a port. */
export function withHttp({ flags, env }: How, port: number): How {
  return { flags, env: { ...env, NATRIUM_HTTP_PORT: String(port) } };
}

/**
 * An agent is idle most of the time. What each setting saves of its memory:
 *
 * - A small young generation (`libs/process` keeps it at 1 MB until there is hard work) and one worker thread: 5 MB.
 * - `--heap-growing-percent`, a heap that grows in small steps: 13 MB after 1,000 jobs of its own that it has run.
 * - `--expose-gc` and `--compact-on-every-full-gc`, for `libs/process` to collect and compact at rest: the heap is as small after
 *   10,000 jobs as after 1,000.
 * - `MALLOC_MMAP_THRESHOLD_`, by which larger blocks (what V8 compiled with, above all) go back to the kernel when freed: 5 MB.
 * - `MALLOC_ARENA_MAX` and `MALLOC_TRIM_THRESHOLD_`, by which what many threads free stays in one arena and goes back to the kernel
 *   in small pieces: 0.6 MB after 20,000 jobs.
 *
 * Only flags that every version of Node from 20 on knows: one that it does not know ends it.
 */
export const LEAN_AGENT = {
  flags: [
    '--max-semi-space-size=4',
    '--v8-pool-size=1',
    '--heap-growing-percent=20',
    '--expose-gc',
    '--compact-on-every-full-gc',
  ],
  env: { MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '16384' },
};

/**
 * What a service allocates beside V8's heap: one arena for all of its threads, none of which allocates much at a time. Each thread's own
 * held what it had needed once: 11 MB of an acl-service and 12 of a runner-service at 100 jobs a second. A fixed size from which a block
 * is one of the kernel's keeps malloc from raising it up to 32 MB, whereby all that is freed below a block that stays is held.
 * And what is free above the last block that stays goes back from 256 kB on: 1.7 MB of a gateway to which a thousand minions have come.
 */
const ONE_ARENA = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '262144' };

/**
 * A job to a thousand minions leaves 40 MB behind in a gateway while its returns come in. V8 would collect three times meanwhile, and
 * copy what is still under way each time; with a larger young generation it is once, which saves a tenth of the gateway's time for such
 * a job. At rest V8 makes it small again.
 *
 * What grows old is collected when there is twice as much of it, and what was compiled is kept. V8 by itself collected three times a
 * second in a gateway that had run for a minute, with one job to a hundred minions after the other: half of its processor time (131 and
 * 67 µs for each minion). At four times as much it was 76 µs, and to 10,000 minions 66 in place of 74.
 */
export const ROOMY_GATEWAY = {
  flags: ['--max-semi-space-size=64', '--heap-growing-percent=100', '--no-flush-bytecode'],
  env: ONE_ARENA,
};

/**
 * The others leave little behind. At 100 jobs a second V8 makes an acl-service's young generation 16 MB within a quarter of an hour; at 8
 * it stays 12 MB smaller.
 */
export const SMALL_SERVICE = { flags: ['--max-semi-space-size=8'], env: ONE_ARENA };

/**
 * Thousands of minions in one process share a heap that no minion has. In V8's own young generation of 16 MB what a job leaves behind in
 * all of them grew old, and in each second job to 10,000 V8 went through 250 MB of it: 0.6 s of a processor.
 *
 * V8 begins to collect what is old at 512 MB. By itself it began at twice what is alive, which 500 minions made in each second job: 0.1 s
 * of a processor while their returns were on the way. `--expose-gc` is for whoever measures: what a job has left is collected before the
 * next one.
 */
export const SWARM = { flags: ['--expose-gc', '--max-semi-space-size=128', '--initial-old-space-size=512'] };
