/**
 * The socket for `natrium-call`: a verb and its arguments come in, the agent builds and signs the request as the minion.
 * It never signs bytes that it is handed; whoever can open the socket (its owner) speaks as the minion.
 *
 * One JSON object a line: `{fun, args}` → `{ret, retcode, success, out?, notes, refusal?, problem?}`. A caller that leaves before its
 * answer ends its function, as Ctrl-C ends Salt's `salt-call`: nobody else could end it. One that only says that it asks no more, as
 * scripts and `nc -N` do, looks the same until it is written to: blanks go before its answer, which JSON allows.
 *
 * Spec: spec/envelope.md#requests.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { LineReader, listenForOwner } from '@natrium/events';
import { fromPlain, isList, isMap, jidOf, type Plain, toPlain, type Value } from '@natrium/model';
import type { Outcome } from '@natrium/modules';
import { UnderWay } from '@natrium/process';
import type { Execution } from '../execution/execution.js';
import type { Finishing } from './finishing.js';

const OWNER_ONLY = 0o600;
const MAX_LINE = 8 << 20;
/** How often a caller that asks no more is looked for, from its last word on. */
const LOOK_MS = 1000;
const BLANK = ' ';

/** Listens on `path`; a socket that a dead agent left behind is replaced. The agent that is told to stop finishes what was called. */
export async function listenForCalls(
  path: string,
  execution: Execution,
  finishing: Pick<Finishing, 'during'> = new UnderWay(),
): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    serve(socket, (line, signal) => finishing.during(() => answer(line, execution, signal)));
  });
  await listenForOwner(server, path);
  // A folder with an access list of its own gives what is made in it other rights than the umask says.
  chmodSync(path, OWNER_ONLY);
  return server;
}

function serve(socket: Socket, answered: (line: string, signal: AbortSignal) => Promise<string>): void {
  const reader = new LineReader();
  const underWay = new Set<AbortController>();
  let asksNoMore = false;
  let looking: NodeJS.Timeout | undefined;
  const look = () => socket.write(BLANK); // fails where nobody is there any more
  socket.on('close', () => {
    clearInterval(looking);
    for (const call of underWay) call.abort('its caller has left');
  });
  socket.on('error', () => socket.destroy());
  const endWhenAnswered = () => {
    if (!asksNoMore || underWay.size > 0) return;
    clearInterval(looking);
    socket.end();
  };
  const run = (line: string) => {
    const call = new AbortController();
    underWay.add(call);
    answered(line, call.signal).then(
      (text) => {
        underWay.delete(call);
        socket.write(`${text}\n`);
        endWhenAnswered();
      },
      () => {
        underWay.delete(call);
        socket.destroy();
      },
    );
  };
  socket.on('end', () => {
    asksNoMore = true;
    endWhenAnswered();
    if (underWay.size === 0) return;
    look();
    looking = setInterval(look, LOOK_MS).unref();
  });
  socket.on('data', (chunk: Buffer) => {
    for (const line of reader.take(chunk)) run(line);
    if (reader.waiting > MAX_LINE) socket.destroy();
  });
}

async function answer(line: string, execution: Execution, signal: AbortSignal): Promise<string> {
  const asked = fromPlain(JSON.parse(line) as Plain);
  if (!isMap(asked) || typeof asked['fun'] !== 'string') throw new RangeError('not a call');
  const args: readonly Value[] = isList(asked['args']) ? asked['args'] : [];
  const outcome = await execution.call(asked['fun'], args, jidOf(Date.now() * 1000), signal);
  return JSON.stringify(toPlain(asValue(outcome)));
}

function asValue({ ret, retcode, success, notes, out, refusal, problem }: Outcome): Value {
  return {
    ret,
    retcode,
    success,
    notes: [...notes],
    ...(out === undefined ? {} : { out }),
    ...(refusal === undefined ? {} : { refusal: { code: refusal.code, sentence: refusal.sentence } }),
    ...(problem === undefined ? {} : { problem: { ...problem } }),
  };
}
