/** How the processes are started that V8's own settings do not fit, here as in the units, the image and docker-compose.yml. */

/**
 * An agent is idle most of the time. Measured: a small young generation (`libs/process` keeps it at 1 MB until there is hard work) and one worker thread are 5 MB less; blocks above
 * 32 KiB that go back to the kernel when freed (what V8 compiled with, above all) are another 5 MB less; a heap that grows in
 * small steps is 13 MB less on an agent that has asked for 1,000 jobs and run them; a heap that is collected at rest
 * (`libs/process`), and compacted then, is as small after 10,000 jobs as after 1,000; what many threads free stays
 * in one arena, and goes back to the kernel in small pieces (0.6 MB less after 20,000 jobs). Only flags that every version of
 * Node from 20 on knows: one that it does not know ends it.
 */
export const LEAN_AGENT = {
  flags: [
    '--max-semi-space-size=8',
    '--v8-pool-size=1',
    '--heap-growing-percent=20',
    '--expose-gc',
    '--compact-on-every-full-gc',
  ],
  env: { MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '16384' },
};

/**
 * A job to a thousand minions leaves 40 MB behind in a gateway while its returns come in, and each of the three collections that V8 makes
 * in that time copies what is still under way: with a larger young generation it is one. Measured: the gateway's part of such a job takes a
 * tenth less. At rest V8 makes it small again. What grows old is looked through when there is twice as much, and what was compiled is kept: V8's own choice was three times a second in a gateway that had run for a minute, with one job to a hundred minions
 * after the other. Measured there: half of its processor time (131 and 67 µs for each minion; 76 when it is looked through at four times as much, and to 10,000 minions 66 in place of 74).
 */
export const ROOMY_GATEWAY = {
  flags: ['--max-semi-space-size=64', '--heap-growing-percent=100', '--no-flush-bytecode'],
};

/**
 * The others leave little behind. Measured: at 100 jobs a second V8 makes an acl-service's young generation 16 MB within a quarter of an hour; at 8
 * it stays 12 MB smaller.
 */
export const SMALL_SERVICE = { flags: ['--max-semi-space-size=8'] };

/**
 * Thousands of minions in one process share a heap that no minion has: what a job leaves behind in all of them grew old in V8's own young generation of 16 MB, and each second job
 * to 10,000 V8 looked through 250 MB of it, 0.6 s of a processor. V8 begins to look at 512 MB: by itself it did at twice what is alive, which 500 minions made in each second job (0.1 s of
 * a processor while their returns were on the way). `--expose-gc` is for whoever measures: what a job has left goes between two of them.
 */
export const SWARM = { flags: ['--expose-gc', '--max-semi-space-size=128', '--initial-old-space-size=512'] };
