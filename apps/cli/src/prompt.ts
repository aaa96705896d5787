/**
 * Asks the operator for one line: for a login on stderr, because stdout is for results; for a word of agreement on stdout, below
 * what it is about. From a pipe each question of a login takes the next line.
 */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
type End<Stream> = Stream & { readonly isTTY?: boolean };

let piped: AsyncIterator<string> | undefined;

/** @returns undefined at the end of input, which is also where it cannot be read, and after Ctrl-C, which is raised as if the terminal had sent it. */
export async function prompt(
  question: string,
  { secret }: { readonly secret: boolean },
  input: End<Readable> = process.stdin,
): Promise<string | undefined> {
  // A line editor never hears of an end that `--args-stdin` has read, and the process would end without a word.
  if (input.destroyed || input.readableEnded) return undefined;
  return input.isTTY === true ? typedLine(question, { secret }, input, process.stderr) : nextPiped(input);
}

async function nextPiped(input: Readable): Promise<string | undefined> {
  piped ??= createInterface({ input })[Symbol.asyncIterator]();
  const next = await piped.next().catch(() => undefined);
  return next?.done === false ? next.value : undefined;
}

/** A secret is not shown; the line's end is, so that what follows begins on its own line. */
export function typedLine(
  question: string,
  { secret }: { readonly secret: boolean },
  input: NodeJS.ReadableStream,
  shown: NodeJS.WritableStream,
): Promise<string | undefined> {
  shown.write(question);
  const lines = createInterface({ input, output: secret ? nowhere() : shown, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    const ended = () => {
      shown.write('\n');
      resolve(undefined);
    };
    lines.on('line', (text) => {
      if (secret) shown.write('\n');
      resolve(text);
      // This one alone: with a listener of its own the line editor lets go of the keys, and would else show those of the next question.
      lines.off('close', ended).close();
    });
    lines.on('close', ended);
    closeWithInput(lines);
  });
}

/** @returns undefined at the end of input and after Ctrl-C. */
export function ask(
  question: string,
  input: End<NodeJS.ReadableStream> = process.stdin,
  output: End<NodeJS.WritableStream> = process.stdout,
): Promise<string | undefined> {
  // A line editor moves the cursor, which only a terminal understands.
  const lines = createInterface({ input, output, terminal: input.isTTY === true && output.isTTY === true });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(undefined));
    closeWithInput(lines);
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * The terminal gives Ctrl-C to the line editor; whoever waits for it hears of it all the same. And `nohup` leaves a stdin that
 * cannot be read.
 */
function closeWithInput(lines: ReturnType<typeof createInterface>): void {
  lines.on('SIGINT', () => {
    process.emit('SIGINT');
    lines.close();
  });
  lines.on('error', () => lines.close());
}

function nowhere(): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
}
