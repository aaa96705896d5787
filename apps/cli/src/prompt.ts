/** Asks the operator for one line, on stderr: stdout is for results. From a pipe each question takes the next line. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

let piped: AsyncIterator<string> | undefined;

export async function prompt(question: string, { secret }: { readonly secret: boolean }): Promise<string | undefined> {
  if (!process.stdin.isTTY) return nextPiped();
  process.stderr.write(question);
  return secret ? hidden() : line(process.stderr);
}

async function nextPiped(): Promise<string | undefined> {
  piped ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const next = await piped.next();
  return next.done === true ? undefined : next.value;
}

/** What is typed goes nowhere; the line's end is shown, so that what follows begins on its own line. */
async function hidden(): Promise<string | undefined> {
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const typed = await line(nowhere);
  process.stderr.write('\n');
  return typed;
}

function line(output: NodeJS.WritableStream): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    lines.on('close', () => {
      resolve(undefined);
    });
    lines.on('SIGINT', () => {
      lines.close();
    });
    lines.on('line', (text) => {
      resolve(text);
      lines.close();
    });
  });
}
