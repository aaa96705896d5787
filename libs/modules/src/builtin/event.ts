/**
 * `event.*`: fires events on the bus of this host and on the master's.
 *
 * What it answers is what Salt answers: True, once the event will not be lost any more. A tag that this minion may not fire is
 * an error here already; the master checks it again.
 */
import { isList, isMap, isTrue, messageOf, pyStr, refusal, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { type EventPort, NOT_KEPT } from '../event-port.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';

const DATA = { name: 'data', type: 'any', doc: 'What it says: a map.' } as const;
const TAG = { name: 'tag', type: 'str', doc: 'Its tag.' } as const;
const PRELOAD = {
  name: 'preload',
  type: 'any',
  default: null,
  doc: 'A map of what else the payload on the master shall hold.',
} as const;

export const eventModule = defineModule('event', {
  fire: fn(
    {
      doc: 'Fires an event on the bus of this host; the master does not hear it.',
      params: [DATA, TAG, { name: 'timeout', type: 'any', default: null, doc: 'Ignored: nothing is waited for.' }],
      returns: 'True',
      examples: [`event.fire '{"data": "my event data"}' 'tag'`],
    },
    async ({ data, tag }, context) => {
      await carriedOut(portOf(context).fire(mapOf(data), tag));
      return true;
    },
  ),
  fire_master: fn(
    {
      doc: "Fires an event on the master's bus. It is kept on this host while there is no connection.",
      params: [DATA, TAG, PRELOAD, { name: 'timeout', type: 'any', default: null, doc: 'Ignored.' }],
      returns: 'True',
      examples: [`event.fire_master '{"data": "message for the master"}' 'mytag'`],
    },
    async ({ data, tag, preload }, context) => {
      const load = { pretag: null, ...(isMap(preload) ? preload : {}) };
      return isKept(await carriedOut(portOf(context).fireMaster(data, tag, load)));
    },
  ),
  send: fn(
    {
      doc: "Fires an event on the master's bus, with what else it shall tell of this minion.",
      params: [
        TAG,
        { ...DATA, default: null },
        PRELOAD,
        { name: 'with_env', type: 'any', default: false, doc: 'True, or names of environment variables.' },
        { name: 'with_grains', type: 'any', default: false, doc: 'True, or names of grains.' },
        { name: 'with_pillar', type: 'any', default: false, doc: 'True, or names of pillar keys.' },
        {
          name: 'with_env_opts',
          type: 'any',
          default: false,
          doc: 'True: saltenv and pillarenv, which here are base and none.',
        },
        { kwargs: 'kwargs', doc: 'Further keys of the data, which data itself overrides.' },
      ],
      returns: 'True',
      examples: [
        `event.send myco/mytag foo=Foo bar=Bar`,
        `event.send 'myco/mytag' '{"foo": "Foo"}' with_grains='["os"]'`,
      ],
    },
    async (args, context) => {
      const { tag, data, preload, kwargs } = args;
      const told = {
        ...(wanted(args.with_env) ? { environ: chosen(args.with_env, environment()) } : {}),
        ...(wanted(args.with_grains) ? { grains: chosen(args.with_grains, context.grains()) } : {}),
        ...(wanted(args.with_pillar) ? { pillar: chosen(args.with_pillar, context.pillar?.() ?? {}) } : {}),
        ...(isTrue(args.with_env_opts) ? { saltenv: 'base', pillarenv: null } : {}),
        ...Object.fromEntries(Object.entries(kwargs).filter(([name]) => !name.startsWith('__'))),
        ...(isMap(data) ? data : data === null ? {} : { data }),
      };
      const load = { pretag: null, ...(isMap(preload) ? preload : {}) };
      return isKept(await carriedOut(portOf(context).fireMaster(told, tag, load)));
    },
  ),
});

function portOf({ events }: CallContext): EventPort {
  if (events === undefined) {
    throw new ExecutionError('there is no event bus here: start natrium-minion, and call without --local');
  }
  return events;
}

function mapOf(data: Value): ValueMap {
  if (!isMap(data)) throw new InvocationError('the data of an event is a map');
  return data;
}

function wanted(which: Value): boolean {
  return which === true || (typeof which === 'string' && which !== '') || (Array.isArray(which) && which.length > 0);
}

function chosen(which: Value, all: ValueMap): ValueMap {
  if (which === true) return all;
  const names = isList(which) ? which.map(pyStr) : pyStr(which).split(',');
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] ?? null] as const] : [])),
  );
}

function environment(): ValueMap {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}

function isKept(kept: boolean): true | Reply {
  return kept || reply(NOT_KEPT, { retcode: 1, refusal: refusal('store_unavailable', NOT_KEPT) });
}

async function carriedOut<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ExecutionError(messageOf(error));
  }
}
