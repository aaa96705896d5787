/**
 * `publish.*`: this minion asks the master to run a function on other minions, or a runner on the master.
 *
 * The order: nothing that publishes again is sent → arguments read → asked → the answer told in full. Whether it is
 * allowed is the gate's to say. What did not come back is said in notes, with a retcode that is not 0.
 *
 * Spec: spec/acl.md#peer. The original's behaviour: compat/cases/publish_module.jsonl.
 */
import { publishArguments } from '@natrium/args';
import { isList, pyStr, type Refusal, refusal, type Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { InvocationError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import type { MasterPort, PublishAsk } from '../master-port.js';
import { fn } from '../minion-registry.js';
import { toReply } from './publish-reply.js';

const TARGET = [
  { name: 'tgt', type: 'any', doc: 'Which minions: an expression, or a list of ids.' },
  { name: 'fun', type: 'str', doc: 'Function to run on each of them.' },
  { name: 'arg', type: 'any', default: null, doc: 'One argument, or a list of them, as text in YAML or as values.' },
  { name: 'tgt_type', type: 'str', default: 'glob', doc: 'How to read the target.' },
  { name: 'returner', type: 'str', default: '', doc: 'Returner that each of them uses.' },
  { name: 'timeout', type: 'any', default: 5, doc: 'Seconds to wait for those that are busy.' },
] as const;
const OLDER = {
  name: 'expr_form',
  type: 'str',
  default: '',
  keyword: true,
  doc: 'The older name of tgt_type.',
} as const;
const VIA = {
  name: 'via_master',
  type: 'str',
  default: '',
  doc: 'A configured master: there is one bus for all of them, so that none is asked apart.',
} as const;

type Asked = Omit<PublishAsk, 'noParse'> & { readonly viaMaster: string };

export const publishModule = defineModule('publish', {
  publish: fn(
    {
      doc: 'Runs a function on other minions, as far as the master allows it, and gathers what they return.',
      params: [...TARGET, VIA, OLDER],
      returns: 'a map from minion id to its return',
      examples: [
        "publish.publish '*' test.ping",
        "publish.publish 'web* and G@os:Debian' test.version tgt_type=compound",
      ],
    },
    (args, context) => publish({ ...asked(args), form: 'clean', viaMaster: args.via_master }, context),
  ),
  full_data: fn(
    {
      doc: 'As publish.publish, with what else each return carries.',
      params: [...TARGET, OLDER],
      returns: 'a map from minion id to a map with `ret`',
      examples: ["publish.full_data '*' test.ping"],
    },
    (args, context) => publish({ ...asked(args), form: 'full', viaMaster: '' }, context),
  ),
  runner: fn(
    {
      doc: 'Runs a runner on the master, as far as the master allows it.',
      params: [
        { name: 'fun', type: 'str', doc: 'The runner.' },
        { name: 'arg', type: 'any', default: null, doc: 'One argument, or a list of them.' },
        { name: 'timeout', type: 'any', default: 5, doc: 'Seconds to wait for it.' },
      ],
      returns: "the runner's answer",
      examples: ['publish.runner manage.up'],
    },
    runRunner,
  ),
});

interface AskedWords {
  readonly tgt: Value;
  readonly fun: string;
  readonly arg: Value;
  readonly tgt_type: string;
  readonly expr_form: string;
  readonly returner: string;
  readonly timeout: Value;
}

function asked(args: AskedWords): Omit<Asked, 'form' | 'viaMaster'> {
  const { tgt, fun, arg, returner, timeout, expr_form: older, tgt_type: type } = args;
  const words = isList(tgt) ? tgt.map(pyStr) : pyStr(tgt);
  return { tgt: words, fun, arg: publishArguments(arg), tgtType: older === '' ? type : older, returner, timeout };
}

async function publish({ viaMaster, ...ask }: Asked, context: CallContext): Promise<Reply> {
  const { master, config } = context;
  if (master === undefined) return nothingSent({});
  if (ask.fun.startsWith('publish.')) return refused(recursive(ask, context.id));
  if (viaMaster !== '') requireConfigured(viaMaster, master);
  return toReply(ask, await master.publish({ ...ask, noParse: noParse(config) }));
}

async function runRunner(
  { fun, arg, timeout }: { readonly fun: string; readonly arg: Value; readonly timeout: Value },
  { master, config }: CallContext,
): Promise<Reply> {
  if (master === undefined)
    return nothingSent('No access to master. If using natrium-call with --local, please remove.');
  const answer = await master.runner({ fun, arg: publishArguments(arg), timeout, noParse: noParse(config) });
  if (answer.type === 'refused') return refused(answer.refusal);
  if (answer.type === 'timeout') return reply(`'${fun}' runner publish timed out`, { retcode: 1 });
  const { ret, retcode, out } = answer;
  return reply(ret, { retcode, ...(out === undefined ? {} : { out }) });
}

function noParse(config: CallContext['config']): readonly Value[] {
  const names = config['no_parse'];
  return isList(names) ? names : [];
}

/** @throws {InvocationError} In Salt's words, when this minion is configured with no master on that host. */
function requireConfigured(host: string, { masters = [] }: MasterPort): void {
  if (masters.some((address) => address.includes(`//${host}:`))) return;
  throw new InvocationError(
    `Could not find match for ${host} in list of configured minion masters ${masters.join(', ')} when using the 'via_master' parameter`,
  );
}

function nothingSent(ret: Value): Reply {
  return reply(ret, { retcode: 1, notes: ['Not connected to a master: nothing was sent.'] });
}

function recursive({ fun, tgt }: Pick<Asked, 'fun' | 'tgt'>, id: string): Refusal {
  const sentence = `minion ${id} may not run '${fun}' on '${String(tgt)}': what is published may not publish again`;
  return refusal('recursive_publish', sentence);
}

function refused(why: Refusal): Reply {
  return reply(why.sentence, { retcode: 1, refusal: why });
}
