/** `test.*`: runners that only show that a runner runs, and with what. */
import type { Value } from '@natrium/model';
import { ANYTHING, defineModule, ExecutionError, InvocationError } from '@natrium/modules';
import { setTimeout as pause } from 'node:timers/promises';
import { notHere } from '../not-here.js';
import { runner } from '../runner-registry.js';

const LONGEST_SECONDS = 3_600;
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['us', 'foo bar baz qux quux quuz corge grault garply waldo fred plugh xyzzy thud'.split(' ')],
  ['uk', ['wibble', 'wobble', 'wubble', 'flob']],
]);

export const testModule = defineModule('test', {
  arg: runner(
    { doc: 'Shows the arguments that it got.', params: ANYTHING, examples: ['test.arg 1 two txt=hello'] },
    ({ args, kwargs }) => ({
      args,
      kwargs: Object.fromEntries(Object.entries(kwargs).filter(([name]) => !name.startsWith('__'))),
    }),
  ),
  raw_arg: runner(
    { doc: 'As test.arg, with the names that begin with `__`.', params: ANYTHING },
    ({ args, kwargs }) => ({
      args,
      kwargs,
    }),
  ),
  echo: runner({ doc: 'Returns what it was given.', params: [{ name: 'text', type: 'any' }] }, ({ text }) => text),
  caller: runner({ doc: 'Who asked, as the runner knows it.' }, (_, { caller }) => ({
    kind: caller.kind,
    name: caller.name,
  })),
  metasyntactic: runner(
    {
      doc: 'Returns some words.',
      params: [{ name: 'locality', type: 'str', default: 'us', doc: 'us or uk.' }],
      returns: 'a list; None for a locality that is not known',
    },
    ({ locality }) => WORDS.get(locality) ?? null,
  ),
  sleep: runner(
    { doc: 'Waits for some seconds, then returns True.', params: [{ name: 's_time', type: 'number', default: 10 }] },
    ({ s_time: seconds }, { signal }) => sleep(seconds, signal),
  ),
  get_opts: runner({ doc: "The master's settings that may be shown." }, (_, { host }) => host.config),
  stdout_print: runner({ doc: 'Returns `bar`. Diverges: a runner has no terminal to print on.' }, () => 'bar'),
  stream: notHere('a runner fires events with event.send, and nobody waits for those of a stream', 'test.stream'),
  exception: runner(
    { doc: 'Fails.', params: [{ name: 'message', type: 'str', default: 'Test Exception' }] },
    ({ message }): Value => {
      throw new ExecutionError(message);
    },
  ),
});

async function sleep(seconds: number, signal: AbortSignal): Promise<Value> {
  if (!(seconds >= 0 && seconds <= LONGEST_SECONDS))
    throw new InvocationError(`0 to ${String(LONGEST_SECONDS)} seconds are possible`);
  await pause(seconds * 1000, undefined, { signal });
  return true;
}
