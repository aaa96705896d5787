/** A module whose functions run in a process of their own: its description becomes declarations, a call becomes a run. */
import { isList, isMap, pyStr, type Value, type ValueMap, writeJson } from '@natrium/model';
import type { FunctionSpec, Module, Returned } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { reply } from '../loader/reply.js';
import { type DescribedFunction, readDescription } from './description.js';
import { GuestEnded, type Limits, type Program, runGuest } from './guest.js';

export interface GuestOptions<C> {
  readonly limits: Limits;
  /** What a function is told of its call. */
  readonly facts: (context: C) => ValueMap;
  /** How long a program may take to say what it is; ten seconds unless given. */
  readonly describeSeconds?: number;
}

const DESCRIBE_SECONDS = 10;

/** What a function threw that is no answer: it is reported as an exception, under its own name. */
class Thrown extends Error {
  constructor(name = 'Error', message = '') {
    super(message);
    this.name = name;
  }
}

/** @throws {GuestEnded | NotDescribed} When it does not say what it is. */
export async function guestModule<C extends BaseContext>(
  name: string,
  program: Program,
  options: GuestOptions<C>,
): Promise<Module<C>> {
  const said = await runGuest(program, {
    args: ['--describe'],
    stdin: '',
    limits: { ...options.limits, seconds: options.describeSeconds ?? DESCRIBE_SECONDS },
    signal: new AbortController().signal,
  });
  const functions = Object.entries(readDescription(said, name));
  return {
    name,
    isOwn: true,
    functions: Object.fromEntries(functions.map(([fun, spec]) => [fun, declared(fun, spec, program, options)])),
  };
}

function declared<C extends BaseContext>(
  fun: string,
  { timeout, ...text }: DescribedFunction,
  program: Program,
  { limits, facts }: GuestOptions<C>,
): FunctionSpec<C> {
  const own = { ...limits, seconds: timeout ?? limits.seconds };
  return {
    ...text,
    run: async (args, context) => {
      const stdin = writeJson({ fun, args, context: facts(context) });
      const { signal, processes } = context;
      return returned(await answered(runGuest(program, { args: [], stdin, limits: own, signal, processes })));
    },
  };
}

async function answered(running: Promise<Value>): Promise<Value> {
  try {
    return await running;
  } catch (error) {
    throw error instanceof GuestEnded ? new ExecutionError(error.message) : error;
  }
}

/** `{ret, retcode?, out?, notes?}`, or `{error}`, `{invalid}` or `{exception: [name, message]}`. */
function returned(answer: Value): Returned {
  if (!isMap(answer)) throw new ExecutionError('its answer is not a mapping with ret or error');
  const { ret, retcode, out, notes, error, invalid, exception } = answer;
  if (typeof error === 'string') throw new ExecutionError(error);
  if (typeof invalid === 'string') throw new InvocationError(invalid);
  if (isList(exception)) throw new Thrown(...exception.map(pyStr));
  if (ret === undefined) throw new ExecutionError('its answer has neither ret nor error');
  return reply(ret, {
    ...(typeof retcode === 'number' && Number.isInteger(retcode) ? { retcode } : {}),
    ...(typeof out === 'string' ? { out } : {}),
    ...(isList(notes) ? { notes: notes.filter((note) => typeof note === 'string') } : {}),
  });
}
