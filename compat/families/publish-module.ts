/**
 * Replays the family `publish_module`: the real `publish` module, through the real registry, with a scripted gateway.
 *
 * The script is Salt's: the first reply answers the request, each further one is what has returned 0.3 s later, and the
 * last one repeats. Natrium does not poll; the scripted gateway gathers as far as the script and the timeout go, and
 * answers once. A refusal stands for `{}` (compat/divergences.md, refusal to a peer).
 */
import { Float, isList, isMap, type Plain, pyStr, refusal, toPlain, type Value, type ValueMap } from '@natrium/model';
import {
  builtinModules,
  type MasterPort,
  minionRegistry,
  type Outcome,
  type PeerReturn,
  type PublishAnswer,
  type PublishAsk,
  type RunnerAnswer,
  type RunnerAsk,
} from '@natrium/modules';
import { type Case, mapOf, type PlainMap, textOf, textsOf, valueOf, valuesOf } from '../corpus.js';
import type { Family } from './family.js';

const TIMEOUT = '__timeout__';
const CALLER = 'caller.example.com';

export const publishModule: Family = async ({ request, expected }: Case) => {
  const config = valueMapOf(request['opts']);
  const gateway = new ScriptedGateway(valuesOf(request['replies']), mastersOf(config));
  const outcome = await minionRegistry(builtinModules).execute(
    `publish.${textOf(request['function'])}`,
    sentArguments(request),
    {
      id: CALLER,
      jid: '20260101000000000000',
      grains: () => ({}),
      config,
      signal: new AbortController().signal,
      master: textsOf(request['opts_absent']).includes('master_uri') ? undefined : gateway,
    },
  );
  return {
    ...notCompared(expected),
    ...answerOf(outcome, expected, gateway),
    first_request: firstRequest(gateway, expected),
  };
};

function sentArguments(request: PlainMap): readonly Value[] {
  const positional = valuesOf(request['args']);
  const named = valueMapOf(request['kwargs']);
  return Object.keys(named).length === 0 ? positional : [...positional, { __kwarg__: true, ...named }];
}

/** How the original polls: described by the corpus, and not compared. */
function notCompared({ requests_sent, polls, slept }: PlainMap): PlainMap {
  return Object.fromEntries(
    Object.entries({ requests_sent, polls, slept }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}

/** What was sent; `cmd`, `id` and `form` are the original's own words on its wire, and not compared. */
function firstRequest({ first }: ScriptedGateway, expected: PlainMap): Plain {
  if (first === undefined) return null;
  const wire = Object.entries(mapOf(expected['first_request'])).filter(([key]) => ['cmd', 'id', 'form'].includes(key));
  return { ...Object.fromEntries(wire), ...mapOf(toPlain(first)) };
}

function answerOf(outcome: Outcome, expected: PlainMap, { withoutRet }: ScriptedGateway): PlainMap {
  if (outcome.refusal !== undefined) return { return: {} };
  if (outcome.fault !== undefined) return { exception: exceptionOf(outcome) };
  const sentence = mapOf(expected['return']);
  // `$text` stands for a sentence that the corpus names instead of quoting.
  const isSentence = Object.hasOwn(sentence, '$text') && typeof outcome.ret === 'string' && outcome.ret !== '';
  const ret = isMap(outcome.ret) ? { ...outcome.ret, ...withoutRet } : outcome.ret;
  return { return: isSentence ? sentence : toPlain(ret) };
}

/** Python's name of what the original throws there. */
function exceptionOf({ fault, ret }: Outcome): string {
  if (fault === 'arguments') return 'TypeError';
  if (fault === 'failed') return 'SaltInvocationError';
  return /caused an exception: (\w+)/.exec(pyStr(ret))?.[1] ?? 'Exception';
}

function valueMapOf(plain: Plain | undefined): ValueMap {
  const value = valueOf(plain);
  return isMap(value) ? value : {};
}

function mastersOf(config: ValueMap): readonly string[] {
  const list = config['master_uri_list'];
  return isList(list) ? list.map(pyStr) : [];
}

/** What the original throws on a malformed answer, under Python's name. */
class Malformed extends Error {
  constructor(override readonly name: string) {
    super('the scripted answer is malformed');
  }
}

class ScriptedGateway implements MasterPort {
  first: ValueMap | undefined;
  /** What the full form passes on unread: the port knows no return without `ret`. */
  withoutRet: ValueMap = {};

  constructor(
    private readonly replies: readonly Value[],
    readonly masters: readonly string[],
  ) {}

  async publish(ask: PublishAsk): Promise<PublishAnswer> {
    const { fun, arg, tgt, tgtType, returner, timeout, noParse, form } = ask;
    this.first ??= { fun, arg, tgt, tgt_type: tgtType, ret: returner, tmo: timeout, no_parse: noParse };
    const reply = this.#reply(0);
    if (reply === TIMEOUT) return { type: 'timeout' };
    if (isFalsy(reply)) return { type: 'refused', refusal: refusal('not_permitted', 'refused by the script') };
    const minions = this.#minions(reply);
    const returned = this.#gather(minions, timeout);
    const absent = minions
      .filter((id) => !Object.hasOwn(returned, id))
      .map((id) => ({ id, why: 'no_answer' }) as const);
    const odd = Object.entries(returned).filter(([, one]) => !isMap(one) || one['ret'] === undefined);
    // Only the clean form reads `ret`.
    if (form === 'full') this.withoutRet = Object.fromEntries(odd);
    const read = { ...returned, ...Object.fromEntries(Object.keys(this.withoutRet).map((id) => [id, { ret: null }])) };
    return { type: 'answered', returns: Object.fromEntries(Object.entries(read).map(peerReturn)), absent };
  }

  async runner({ fun, arg, timeout, noParse }: RunnerAsk): Promise<RunnerAnswer> {
    this.first ??= { fun, arg, tmo: timeout, no_parse: noParse };
    const reply = this.#reply(0);
    return reply === TIMEOUT ? { type: 'timeout' } : { type: 'answered', ret: reply, retcode: 0 };
  }

  #reply(index: number): Value {
    return this.replies[Math.min(index, this.replies.length - 1)] ?? null;
  }

  #minions(reply: Value): readonly string[] {
    if (!isMap(reply)) throw new Malformed('TypeError');
    const { minions, jid } = reply;
    if (!isList(minions)) throw new Malformed(minions === undefined ? 'KeyError' : 'TypeError');
    if (jid === undefined && minions.length > 0) throw new Malformed('KeyError');
    return [...new Set(minions.map(pyStr))];
  }

  /** The replies until all have returned or the time is over; a timeout that is no number ends with the first. */
  #gather(minions: readonly string[], timeout: Value): ValueMap {
    const seconds = timeout instanceof Float ? timeout.value : Number(timeout ?? Number.NaN);
    const limit = typeof timeout === 'string' || Number.isNaN(seconds) ? -1 : seconds;
    for (let poll = 0; minions.length > 0; poll += 1) {
      const reply = this.#reply(poll + 1);
      if (reply === TIMEOUT) throw new Malformed('SaltReqTimeoutError');
      if (!isMap(reply)) throw new Malformed('AttributeError');
      if (minions.every((id) => Object.hasOwn(reply, id)) || 0.3 * poll > limit) return reply;
    }
    return {};
  }
}

function peerReturn([id, one]: readonly [string, Value]): readonly [string, PeerReturn] {
  if (!isMap(one)) throw new Malformed('TypeError');
  const { ret, out } = one;
  if (ret === undefined) throw new Malformed('KeyError');
  return [id, { ret, retcode: 0, ...(typeof out === 'string' ? { out } : {}) }];
}

function isFalsy(value: Value): boolean {
  if (isMap(value) || isList(value)) return Object.keys(value).length === 0;
  return value instanceof Float ? value.value === 0 : !value;
}
