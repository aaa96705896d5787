/** The real process as `Io`, and the last step of every command: flush, then exit with its code. */
import { openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Io } from './ports.js';
import { prompt } from './prompt.js';
import { tokenFile } from './token-file.js';

const DEFAULT_COLUMNS = 80;

export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    outIsTty: process.stdout.isTTY,
    errIsTty: process.stderr.isTTY,
    // A terminal that does not know its width says 0.
    columns: (process.stderr.isTTY && process.stderr.columns) || DEFAULT_COLUMNS,
    env: process.env,
    runtime: `Node.js ${process.version}, ${process.platform} ${process.arch}`,
    onInterrupt,
    ask,
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
    openFile: (path, append) => {
      const file = openSync(path, append ? 'a' : 'w');
      return (text) => void writeSync(file, text);
    },
  };
}

function onInterrupt(callback: () => void): () => void {
  process.on('SIGINT', callback);
  return () => void process.off('SIGINT', callback);
}

function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(undefined));
    // The terminal gives it to the line editor; whoever waits for Ctrl-C hears of it all the same.
    lines.on('SIGINT', () => {
      process.emit('SIGINT');
      lines.close();
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

async function input(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/**
 * Runs a command as the whole process.
 *
 * Exits explicitly, so that nothing left open holds the prompt back, but only after a pipe took the last of the output.
 */
export async function runAsProcess(command: (argv: readonly string[], io: Io) => Promise<number>): Promise<void> {
  // `natrium ... | head`: who reads no further wants no more, and that is no error.
  process.stdout.on('error', (problem: NodeJS.ErrnoException) => process.exit(problem.code === 'EPIPE' ? 0 : 1));
  const code = await command(process.argv.slice(2), processIo());
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
