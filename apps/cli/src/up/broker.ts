/** The broker as a child: found as bootstrap found it, started with JetStream on fsync, refused when it is too old. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Io } from '../ports.js';

const FINDER = fileURLToPath(new URL('../../tools/nats-server.mjs', import.meta.url));
const PAUSE_MS = 25;
const GREETING_MS = 1000;
/** Who waits longer is told what for. */
const TOLD_MS = 5000;

/** The path of a nats-server that is new enough. @throws {Error} With the ways to get one. */
export async function brokerProgram(): Promise<string> {
  const given = process.env['NATRIUM_NATS_SERVER'];
  if (given === undefined && existsSync(FINDER)) {
    const { stdout } = await promisify(execFile)(process.execPath, [FINDER]);
    return stdout.trim();
  }
  const program = given ?? 'nats-server';
  requireNew(program);
  return program;
}

function requireNew(program: string): void {
  let said;
  try {
    said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  } catch {
    throw new Error(`${program} cannot be run; set NATRIUM_NATS_SERVER to a nats-server 2.10 or newer`);
  }
  const [, major = '0', minor = '0'] = /v?(\d+)\.(\d+)/.exec(said) ?? [];
  if (Number(major) < 2 || (Number(major) === 2 && Number(minor) < 10)) {
    throw new Error(`${program} is ${said.trim()}; Natrium needs 2.10 or newer: set NATRIUM_NATS_SERVER to such a one`);
  }
}

export interface BrokerWait {
  readonly ended: Promise<string>;
  /** A broker takes connections when it has read its store, and a large one takes it long. */
  readonly waitMs: number;
}

/** Resolves when the broker takes connections. @throws {Error} When it ends before that, or lives and does not for `waitMs`. */
export async function brokerAnswers(
  port: number,
  { ended, waitMs }: BrokerWait,
  io: Pick<Io, 'now' | 'wait' | 'err'>,
): Promise<void> {
  let over: string | undefined;
  void ended.then((how) => {
    over = how;
  });
  const begun = io.now();
  const [where, seconds] = [`on port ${String(port)}`, String(waitMs / 1000)];
  let isTold = false;
  for (let passed = 0; passed < waitMs; passed = io.now() - begun) {
    const greeted = await greets(port);
    // Looked at last: who greets there may be another broker, for which this one had to end.
    if (over !== undefined && isTold) throw new Error(`nats-server ended (${over}) before it answered ${where}`);
    if (over !== undefined) throw new Error(`nats-server ended at once (${over}); is port ${String(port)} taken?`);
    if (greeted) return;
    if (!isTold && passed >= TOLD_MS) {
      isTold = true;
      io.err(
        `natriumctl: nats-server runs and does not answer ${where} yet: it may have much to read from its store; waiting for up to ${seconds} s\n`,
      );
    }
    await io.wait(PAUSE_MS);
  }
  throw new Error(`nats-server runs, but has not answered ${where} in ${seconds} s`);
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.setTimeout(GREETING_MS, () => socket.destroy());
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      resolve(false);
    });
  });
}
