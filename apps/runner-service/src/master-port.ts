/** What a runner reaches of the cluster: reads through a gateway with its grant-run; publishing needs a rule in `runner_grants`. */
import { setTimeout as pause } from 'node:timers/promises';
import { askAgain, BACK_MS, digestOf, type Question, readAsked } from '@natrium/bus';
import { type Asker, MasterClient, peerPort } from '@natrium/client';
import type { Lanes, RoleLink } from '@natrium/edge';
import { runnerTagProblem } from '@natrium/events';
import { CAUSE, causeOf, GRANT_RUN, type GrantRun } from '@natrium/flow';
import { ExecutionError } from '@natrium/modules';
import { isList, isMap, ok, type Principal, type Target, type Value, type ValueMap } from '@natrium/model';
import type { ActiveJob, JobDetail, JobResult, JobSummary, RunnerMasterPort } from '@natrium/runners';
import { type Body, contracts } from '@natrium/wire';

/** Without a word for so long, whoever reads is gone. */
const READ_MS = 5000;
/** So often a reading is asked for, which changes nothing: of several replicas the one that got it may stand still. */
const READ_TRIES = 3;
/** Of a reading of the acl-services, who say nothing before they have read; meanwhile another is asked. */
const ACL_MS = 10_000;
/**
 * How long the word that an event is stored is waited for, and how often it is asked for, which is safe: of two gateways one that stands
 * still would have to get each of them.
 */
const FIRE_MS = 1000;
const FIRE_TRIES = 14;
/** Before a broker that takes nothing is tried again. */
const STORE_AGAIN_MS = 500;
/** Minions whose data is asked for at once: an answer has to fit into one message. */
const PART = 100;

type Read = (
  what: string,
  args?: Value,
  how?: { readonly of?: 'gateway' | 'acl'; readonly waitsMs?: number },
) => Promise<Value>;

function reading(link: RoleLink, grantRun: GrantRun): Read {
  return async (what, args = null, { of = 'gateway', waitsMs = 0 } = {}) => {
    const question = {
      contract: contracts.read,
      body: { what, args, grantRun },
      subject: of === 'gateway' ? link.subjects.svcGw('read') : link.subjects.svcAcl('read'),
      to: () => link.directory.role(of),
      backMs: BACK_MS,
    };
    const answer = await (of === 'acl' ? ofAcl(link, question) : ofGateway(link, question, READ_MS + waitsMs));
    if (!answer.ok) throw new Error(`no ${of} service answered (${answer.error})`);
    const { refusal: refused, result } = answer.value;
    if (refused !== null) throw new ExecutionError(refused.sentence);
    return result;
  };
}

type Reading = Question<typeof contracts.read>;

function ofAcl({ bus }: RoleLink, question: Reading) {
  const codeOf = (told: Body<typeof contracts.answer>) => told.refusal?.code;
  return askAgain(bus, question, contracts.answer, { timeoutMs: ACL_MS, codeOf });
}

async function ofGateway({ bus }: RoleLink, question: Reading, timeoutMs: number) {
  const ask = () => bus.ask({ ...question, alive: contracts.working }, contracts.answer, timeoutMs);
  let answer = await ask();
  for (let asked = 1; !answer.ok && answer.error === 'timeout' && asked < READ_TRIES; asked += 1) answer = await ask();
  return answer.ok ? ok(answer.value.body) : answer;
}

/** @param caller Of the run, as its grant names him. */
export function masterPort(link: RoleLink, grantRun: GrantRun, caller: Principal, lanes: Lanes): RunnerMasterPort {
  const read = reading(link, grantRun);
  const idsOf = async ({ tgt, tgtType }: Pick<Target, 'tgt' | 'tgtType'>): Promise<readonly string[]> => {
    const args = { tgt: typeof tgt === 'string' ? tgt : [...tgt], tgtType };
    return texts(await read('match', args, { of: 'acl' }));
  };
  const publisher = peerPort(new MasterClient(runnerAsker(link, grantRun)), [], {
    options: { [GRANT_RUN]: digestOf(grantRun.grant.bytes), ...causeOption(grantRun, caller) },
    areRead: true,
  });
  return {
    publish: (ask) => publisher.publish(ask),
    inventory: async (target) => ({
      accepted: target === undefined ? texts(await read('accepted')) : await idsOf(target),
    }),
    cached: async (what, target) => {
      const ids = await idsOf(target);
      const parts: (readonly [string, Value])[] = [];
      for (let from = 0; from < ids.length; from += PART) {
        const told = await read(what, { tgt: ids.slice(from, from + PART), tgtType: 'list' }, { of: 'acl' });
        if (isMap(told)) parts.push(...Object.entries(told));
      }
      return Object.fromEntries(parts);
    },
    connected: async (silentSeconds) => {
      if (silentSeconds === undefined) return texts(await read('present'));
      const waitsMs = Math.ceil(silentSeconds * 1000);
      return texts(await read('present', { silent_ms: waitsMs }, { waitsMs }));
    },
    fire: async (tag, data) => {
      const problem = runnerTagProblem(tag);
      // What no gateway takes is not sent: a tag that is too long would not even fit into the question.
      if (problem !== undefined) throw new ExecutionError(`the event was not fired: ${problem}`);
      const place = lanes.take();
      await fire(link, { tag, data, grantRun, ...place }).finally(() => {
        lanes.free(place);
      });
    },
    jobs: {
      list: async (bounds) => maps(await read('jobs', { ...bounds })).map(asSummary),
      get: async (jid, part = {}) => {
        const job = await read('job', { jid, ...part });
        return isMap(job) ? asDetail(job) : undefined;
      },
      active: async () => maps(await read('active')).map(asActive),
    },
  };
}

/** What a runner publishes on a reaction's behalf says so: reactions that set off one another come to an end. */
function causeOption({ request }: GrantRun, caller: Principal): ValueMap {
  const asked = readAsked(request);
  const cause = asked === undefined ? undefined : causeOf(asked, caller);
  return cause === undefined ? {} : { [CAUSE]: cause };
}

/** Asks for it until a gateway says that it is stored, or why it is not: the one that was asked may have died, and the broker may be away. */
async function fire(link: RoleLink, body: Body<typeof contracts.fire>): Promise<void> {
  const question = {
    contract: contracts.fire,
    body,
    subject: link.subjects.svcGw('fire'),
    to: () => link.directory.role('gateway'),
    backMs: BACK_MS,
  };
  for (let asked = 0; asked < FIRE_TRIES; asked += 1) {
    const answer = await link.bus.ask(question, contracts.fired, asked === 0 ? BACK_MS : FIRE_MS);
    if (answer.ok) {
      const { refusal: refused } = answer.value.body;
      if (refused === null) return;
      if (refused.code !== 'store_unavailable') throw new ExecutionError(refused.sentence);
      await pause(STORE_AGAIN_MS);
    } else if (answer.error !== 'timeout' && asked === 0)
      throw new Error(`no gateway took the event (${answer.error})`);
  }
  throw new Error('no gateway said that the event is stored: it may have been fired all the same');
}

/** A runner asks with its role's key, and its grant-run says on whose behalf. */
function runnerAsker(link: RoleLink, grantRun: GrantRun): Asker {
  return {
    bus: link.bus,
    signing: link.own.signing,
    subjects: { publish: link.subjects.svcGw('publish'), runner: '', admin: '', auth: '' },
    grantRun,
  };
}

function asSummary(job: ValueMap): JobSummary {
  const { Function: fun = '', Arguments: arg = [], Target: tgt = '', Metadata: metadata = null } = job;
  return {
    jid: text(job['jid']),
    fun: isList(fun) ? texts(fun) : text(fun),
    arg: isList(arg) ? arg : [],
    tgt: isList(tgt) ? texts(tgt) : text(tgt),
    tgtType: text(job['Target-type']),
    user: text(job['User']),
    ...(isMap(metadata) ? { metadata } : {}),
  };
}

function asDetail(job: ValueMap): JobDetail {
  const { Result: result, Left: left } = job;
  const returns = isMap(result) ? Object.entries(result).map(([id, ret]) => [id, asResult(ret)] as const) : [];
  return {
    ...asSummary(job),
    minions: texts(job['Minions']),
    returns: Object.fromEntries(returns),
    ...(isList(left) ? { left: texts(left) } : {}),
  };
}

function asActive(job: ValueMap): ActiveJob {
  const running = maps(job['Running']).flatMap((one) => Object.entries(one).map(([id, pid]) => ({ id, pid })));
  return { ...asSummary(job), running, returned: texts(job['Returned']) };
}

function asResult(value: Value): JobResult {
  const { return: ret = null, retcode = 1, success = false, out } = isMap(value) ? value : {};
  const plain = { ret, retcode: typeof retcode === 'number' ? retcode : 1, success: success === true };
  return typeof out === 'string' ? { ...plain, out } : plain;
}

function text(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: Value | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

function maps(value: Value | undefined): readonly ValueMap[] {
  return isList(value) ? value.filter(isMap) : [];
}
