/** One more gateway of a bench's cluster, with a folder of its own for its sockets: what it hears came through the journal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from './places.js';

const STOP_MS = 5000;

export interface SecondGateway {
  readonly sockDir: string;
  stop(): Promise<void>;
}

export async function secondGateway(master: string, folder: string): Promise<SecondGateway> {
  const sockDir = join(folder, 'run');
  mkdirSync(join(folder, 'master.d'), { recursive: true });
  copyFileSync(join(master, 'master'), join(folder, 'master'));
  const own = readFileSync(join(master, 'master.d', 'up.conf'), 'utf8').replace(
    /^sock_dir: .*$/m,
    `sock_dir: "${sockDir}"`,
  );
  writeFileSync(join(folder, 'master.d', 'up.conf'), own);
  const main = join(dirname(command('natriumctl')), '..', 'master-gateway', 'main.mjs');
  const child = spawn(process.execPath, [main, '-c', folder], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NATRIUM_SUPERVISED: '1' },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => {
      resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`the second gateway ended with ${String(code)}`));
    });
  });
  return { sockDir, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
