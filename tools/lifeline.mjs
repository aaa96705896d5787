/**
 * Ends this process when its parent is gone, also after a SIGKILL, which nobody can pass on. Loaded with `--import` before
 * a program (then its parent is the bootstrap), or called by the bootstrap itself (then its parent is npm).
 */
const checkEveryMs = 250;

/** Sends this process SIGTERM once its parent is another one than now; never keeps the process alive by itself. */
export function followParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, checkEveryMs);
  timer.unref();
}

if (process.execArgv.includes(import.meta.url)) followParent();
