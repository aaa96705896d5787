/** The real process as `Io`, and the last step of every command: flush, then exit with its code. */
import { isUtf8 } from 'node:buffer';
import { fstatSync, openSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT } from './common/exit-codes.js';
import { heardOf } from './interrupt-signal.js';
import { notUtf8 } from './not-utf8.js';
import type { Io } from './ports.js';
import { ask, prompt } from './prompt.js';
import { tokenFile } from './token-file.js';

const DEFAULT_COLUMNS = 80;
const [STDIN, STDOUT] = [0, 1];

function processIo(onHangUp: () => void): Io {
  // What `bin/start.cjs` ignores, as under `nohup`, ends nothing.
  const ignoresHangUp = process.listenerCount('SIGHUP') > 0;
  const onEnd = heardOf(process, ignoresHangUp ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP']);
  return {
    out: fstatSync(STDOUT).isFile() ? fileWriter(STDOUT) : (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    outIsTty: process.stdout.isTTY,
    errIsTty: process.stderr.isTTY,
    columns: columns(),
    env: process.env,
    runtime: `Node.js ${process.version}, ${process.platform} ${process.arch}`,
    onInterrupt: heardOf(process, ['SIGINT']),
    onEnd: (callback) =>
      onEnd((signal) => {
        if (signal === 'SIGHUP') onHangUp();
        callback(signal);
      }),
    ask: (question) => ask(question),
    input,
    prompt,
    hideArguments: () => {
      process.title = basename(process.argv[1] ?? '', '.mjs');
    },
    tokenFile: tokenFile(),
    wait: (ms) => pause(ms),
    random: Math.random,
    now: () => performance.now(),
    every: (ms, callback) => {
      const timer = setInterval(callback, ms).unref();
      return () => clearInterval(timer);
    },
    openFile: (path, append) => fileWriter(openSync(path, append ? 'a' : 'w')),
  };
}

/** A terminal that does not know its width says 0; without one, as before a pager, `COLUMNS` counts. */
function columns(): number {
  const terminal = [process.stderr, process.stdout].find(({ isTTY }) => isTTY)?.columns;
  return terminal || Number.parseInt(process.env['COLUMNS'] ?? '', 10) || DEFAULT_COLUMNS;
}

/** Writes on until the file has all of a text: `writeSync`, and so Node's stdout, leaves it cut off where a disk is full. */
function fileWriter(file: number): (text: string) => void {
  return (text) => {
    try {
      writeFileSync(file, text);
    } catch (cause) {
      outputGone(cause as NodeJS.ErrnoException);
    }
  };
}

async function input(): Promise<string> {
  // Node reads a folder as nothing.
  if (fstatSync(STDIN).isDirectory()) throw new Error('it is a folder');
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new Error('it is no UTF-8 text');
  return bytes.toString();
}

/**
 * Runs a command as the whole process.
 *
 * Exits explicitly, so that nothing left open holds the prompt back, but only after a pipe took the last of the output.
 */
export async function runAsProcess(command: (argv: readonly string[], io: Io) => Promise<number>): Promise<void> {
  process.stdout.on('error', outputGone);
  // What could not be said there is said by the code.
  process.stderr.on('error', () => undefined);
  const hangUp = new AbortController();
  const io = processIo(() => hangUp.abort());
  const words = process.argv.slice(2);
  const code = refuseNotUtf8(words, io) ?? (await command(words, io));
  if (hangUp.signal.aborted) {
    // Node aborts at an exit without its terminal: it ends as if the signal had not been heard.
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** By its place only: it may be a password. */
function refuseNotUtf8(words: readonly string[], io: Io): number | undefined {
  const place = notUtf8(words);
  if (place === undefined) return undefined;
  const name = basename(process.argv[1] ?? '', '.mjs');
  io.err(
    `${name}: error: word ${String(place)} of the command line is not UTF-8: set the terminal or the script to UTF-8\n`,
  );
  return EXIT.usage;
}

/**
 * `natrium ... | head`: nobody reads further, so nothing more is awaited, and the code is not 0, as how it ends is not known.
 * It is that of a process that SIGPIPE ended, which a shell's `pipefail` and its users know.
 */
function outputGone({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(EXIT.nobodyReads);
  process.stderr.write(`the output cannot be written: ${message}\n`);
  process.exit(EXIT.failed);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
