/**
 * A real broker for tests: `nats-server` with JetStream on fsync, in a folder of its own, on a port that it picks itself.
 *
 * It never outlives the tests: a shell holds the other end of a pipe and ends it when that closes, also after a SIGKILL.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Broker {
  readonly url: string;
  /** Where JetStream keeps its accounts. */
  readonly storeDir: string;
  /** Ends the broker and removes its folder. */
  stop(): Promise<void>;
}

const FINDER = fileURLToPath(new URL('../../../tools/nats-server.mjs', import.meta.url));
/** Streams reserve far more than tests write; without it the broker takes three quarters of what the disk has left, which decides then how many streams a test may make. */
const MAX_FILE = '16GB';
const UNTIL_THE_PIPE_CLOSES =
  'exec 3<&0; "$@" 3<&- </dev/null & c=$!; (cat <&3 >/dev/null; kill "$c" 2>/dev/null) & wait "$c"';

/**
 * @param port The one of a broker that was stopped, to come back where it was.
 * @param backup A copy of a `storeDir`, to begin with.
 * @throws {Error} When there is no `nats-server`, or it ended at once; the message holds what it said.
 */
export async function startBroker(port = -1, backup?: string): Promise<Broker> {
  const folder = mkdtempSync(join(tmpdir(), 'nt-broker-'));
  const storeDir = join(folder, 'jetstream', 'jetstream');
  if (backup !== undefined) cpSync(backup, storeDir, { recursive: true });
  const config = join(folder, 'nats-server.conf');
  writeFileSync(config, configText(folder, port));
  const shell = spawn('/bin/sh', ['-c', UNTIL_THE_PIPE_CLOSES, 'sh', program(), '-c', config], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    shell.once('close', () => {
      resolve();
    });
  });
  const stop = async () => {
    shell.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = `nats://127.0.0.1:${await portSaid(shell.stderr, ended)}`;
    return { url, storeDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function program(): string {
  return process.env['NATRIUM_NATS_SERVER'] ?? execFileSync(process.execPath, [FINDER], { encoding: 'utf8' }).trim();
}

function configText(folder: string, port: number): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    'max_payload: 8388608',
    `jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))}, max_file: ${MAX_FILE}, sync_interval: always }`,
    '',
  ].join('\n');
}

/** The broker names its port, and says later that it is ready. */
function portSaid(stderr: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    let port: string | undefined;
    createInterface({ input: stderr }).on('line', (line) => {
      if (said.length < 50) said.push(line);
      port ??= /client connections on \S+:(\d+)/.exec(line)?.[1];
      if (port !== undefined && line.includes('Server is ready')) resolve(port);
    });
    void ended.then(() => {
      reject(new Error(`nats-server ended before it was ready\n${said.join('\n')}`));
    });
  });
}
