/**
 * Runs a program of the host for a back end: no shell, words as they are, a secret on stdin only. When it hangs it is killed
 * with all that it has started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BackEndFailed } from './back-end.js';

export interface ToolRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMEOUT_MS = 7500;
const MAX_OUTPUT = 65_536;
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @param input What it reads from stdin. @throws {BackEndFailed} When it cannot be started or does not end. */
export function runTool(file: string, words: readonly string[], input = '', timeoutMs = TIMEOUT_MS): Promise<ToolRan> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(file, [...words], {
      stdio: 'pipe',
      env: { PATH: process.env['PATH'] ?? USUAL_PATH, LC_ALL: 'C' },
      detached: true,
    });
    // What it has started may hold its output open for ever, also when it has ended itself.
    const timer = setTimeout(() => {
      endAll(child);
      reject(new BackEndFailed(`${file} did not end in ${String(timeoutMs)} ms`));
    }, timeoutMs);
    // Before anything else: without a free descriptor there are no pipes, and an error that nobody hears ends the process.
    child.once('error', () => {
      clearTimeout(timer);
      reject(new BackEndFailed(`${file} cannot be started`));
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        said[stream] = (said[stream] + text).slice(0, MAX_OUTPUT);
      });
    }
    // Who does not read its stdin to the end says why with its exit status.
    child.stdin?.on('error', () => undefined).end(input);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (signal === null) resolve({ code, ...said });
      else reject(new BackEndFailed(`${file} was killed (${signal})`));
    });
  });
}

/** It leads a process group of its own; what has left that keeps no descriptor of ours open. */
function endAll({ pid, stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}

/** Where a program is. @returns undefined when it is nowhere. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_PATH.split(':')];
  return folders.filter((folder) => folder.startsWith('/')).map((folder) => join(folder, name)).find(isExecutable); // prettier-ignore
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
