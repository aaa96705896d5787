/**
 * `natrium-call`: local functions run in this process; what needs the master goes through the running agent's socket, as
 * verb and arguments.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadMinionConfig, type MinionConfig, problemSentence, shownAddress, shownMinion } from '@natrium/config';
import { LineReader } from '@natrium/events';
import {
  err,
  fromPlain,
  isList,
  isMap,
  jidOf,
  ok,
  type Plain,
  pyStr,
  refusal,
  type RefusalCode,
  type Result,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import {
  builtinModules,
  gatherGrains,
  GrainsFile,
  minionFacts,
  minionRegistry,
  type Outcome,
  OwnModules,
  whichLoad,
} from '@natrium/modules';
import { connectToSocket, within } from '@natrium/process';
import { EXIT } from '../common/exit-codes.js';
import type { AgentOptions, CallOptions, CallOutcome, ConnectAgent, ConnectProblem } from '../ports.js';
import { alsoReturned, returnersHere } from './call-returners.js';

/** Beside the commands in their folder: tools/build.mjs puts it there. */
const MODULE_HOST = fileURLToPath(new URL('./module-host.mjs', import.meta.url));
/** How long what was ended has to put away what it used, as the file of a script. */
const LEAVING_MS = 2000;
/** Modules whose functions need the master, and so the agent. */
const NEED_MASTER = new Set(['publish', 'event', 'key', 'match', 'mine', 'pillar', 'saltutil']);
/** Functions that change what the running agent has in its hands. */
const NEED_AGENT = /^grains\.(set|setvals?|append|remove|delkey|delval)$/;

export const connectAgent: ConnectAgent = (options) => {
  const made = configOf(options);
  if (!made.ok) return Promise.resolve(made);
  const { config, agentId } = made.value;
  // What a function starts is in process groups of its own, which Ctrl-C at this one does not reach.
  const leaving = new AbortController();
  const running = new Set<Promise<unknown>>();
  const viaAgent = (fun: string) => !options.local && needsAgent(fun);
  const call = (fun: string, args: readonly Value[], signal: AbortSignal) => {
    if (!viaAgent(fun)) return here(config, { fun, args, signal, began: (one) => void running.add(one) });
    return config.id === agentId ? throughAgent(config, fun, args) : Promise.resolve(otherId(agentId));
  };
  return Promise.resolve(
    ok({
      call: (fun: string, args: readonly Value[], { timeout, returner }: CallOptions) =>
        alsoReturned(config, { fun, args, returner, hostPath: MODULE_HOST, leaving: leaving.signal }, () =>
          inTime(timeout, leaving.signal, (signal) => call(fun, args, signal)),
        ),
      close: async () => {
        leaving.abort('its caller has left');
        await within(LEAVING_MS, Promise.allSettled(running));
      },
    }),
  );
};

interface Configured {
  readonly config: MinionConfig;
  /** Under which the agent runs, whatever `--id` says. */
  readonly agentId: string;
}

function otherId(agentId: string): CallOutcome {
  const sentence = `the agent of this host is ${agentId}, and --id cannot make it another; nothing was asked`;
  return { ret: null, retcode: 1, success: false, notes: [], refusal: refusal('bad_request', sentence) };
}

function configOf({ configDir, id, master, moduleDirs = [], local }: AgentOptions): Result<Configured, ConnectProblem> {
  const loaded = loadMinionConfig(configDir);
  if (!loaded.ok) return err({ sentence: loaded.error.map(problemSentence).join('\n'), exit: EXIT.badConfig });
  const { config } = loaded.value;
  const masters = [...config.nats, ...config.master];
  if (master !== undefined && !local && !masters.includes(master)) {
    const shown = masters.map(shownAddress).join(', ');
    const sentence = `the agent of this host is connected to ${shown}, and --master cannot send it elsewhere; see nats in ${configDir}/minion`;
    return err({ sentence, exit: EXIT.usage });
  }
  const own = { id: id ?? config.id, master: master === undefined ? config.master : [master] };
  const dirs = [...config.module_dirs, ...moduleDirs.map((dir) => resolve(dir))];
  return ok({ config: { ...config, ...own, module_dirs: dirs }, agentId: config.id });
}

/** @param timeout Seconds; none: as long as it takes. */
async function inTime(
  timeout: number | undefined,
  leaving: AbortSignal,
  call: (signal: AbortSignal) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  if (timeout === undefined) return call(leaving);
  const stop = new AbortController();
  const tooLate = `there was no answer within ${String(timeout)} s`;
  const timer = setTimeout(() => stop.abort(), timeout * 1000);
  try {
    const late = once(stop.signal, 'abort').then(() => unreachable(tooLate));
    return await Promise.race([late, call(AbortSignal.any([leaving, stop.signal]))]);
  } finally {
    clearTimeout(timer);
  }
}

interface LocalCall {
  readonly fun: string;
  readonly args: readonly Value[];
  readonly signal: AbortSignal;
  readonly began: (running: Promise<unknown>) => void;
}

function needsAgent(fun: string): boolean {
  return NEED_MASTER.has(fun.split('.')[0] ?? '') || NEED_AGENT.test(fun);
}

async function here(config: MinionConfig, { fun, args, signal, began }: LocalCall): Promise<CallOutcome> {
  const shown = shownMinion(config);
  const grainsFile = new GrainsFile(config.root_dir);
  let grains: ValueMap | undefined;
  const problems: string[] = [];
  const outcome = await (
    await registryOf(config, fun, problems)
  ).execute(fun, args, {
    id: config.id,
    jid: jidOf(Date.now() * 1000),
    grains: () => (grains ??= gatherGrains(config.id, shown, grainsFile.read())),
    grainsFile,
    config: shown,
    fingerprint: fun === 'key.finger' ? await (await import('./own-key.js')).ownFingerprint(config) : undefined,
    returners: fun === 'sys.list_returners' ? await returnerNames(config) : undefined,
    runners: async () => (await import('./own-runners.js')).runnerLibrary(),
    targets: async () => (await import('./own-targets.js')).meansSelf,
    masterFingerprint: config.master_finger === '' ? undefined : config.master_finger,
    signal,
    began,
  });
  // Only where it may be the reason: the agent's log has it all.
  return outcome.fault === 'unavailable' ? { ...outcome, notes: [...outcome.notes, ...problems] } : outcome;
}

async function returnerNames(config: MinionConfig): Promise<() => readonly string[]> {
  const ignored = () => undefined; // the agent's log has it all
  const { names } = await returnersHere(config, MODULE_HOST, { onProblem: ignored, onUnusable: ignored });
  return () => names;
}

/** `sys.*` tells of all modules; another function needs only its own. */
async function registryOf(config: MinionConfig, fun: string, problems: string[]) {
  const loads = whichLoad(config);
  const registry = minionRegistry(builtinModules.filter((module) => loads(module.name)));
  if (config.module_dirs.length === 0) return registry;
  const [name = ''] = fun.split('.');
  const own = new OwnModules({
    loads: (module) => loads(module) && (name === 'sys' || module === name),
    folders: config.module_dirs,
    hostPath: MODULE_HOST,
    limits: { seconds: config.module_timeout, memoryMib: config.module_memory },
    facts: minionFacts,
    onProblem: (sentence) => problems.push(sentence),
  });
  await own.load();
  return registry.with(own.modules);
}

function throughAgent(config: MinionConfig, fun: string, args: readonly Value[]): Promise<CallOutcome> {
  const path = join(config.sock_dir, 'minion.sock');
  return new Promise((resolve) => {
    const socket = connectToSocket(path);
    const fail = (sentence: string) => {
      socket.destroy();
      resolve(unreachable(sentence));
    };
    socket.on('error', (error) => {
      fail(
        `no agent answers at ${path} (${error.message}); is natrium-minion running, and may this account open its socket?`,
      );
    });
    socket.on('close', () => {
      fail('the agent closed the connection without an answer');
    });
    ask(socket, fun, args, resolve);
  });
}

function ask(socket: Socket, fun: string, args: readonly Value[], resolve: (outcome: CallOutcome) => void): void {
  const reader = new LineReader();
  socket.on('data', (chunk: Buffer) => {
    const [line] = reader.take(chunk);
    if (line === undefined) return;
    resolve(outcomeIn(line));
    socket.destroy();
  });
  socket.write(`${JSON.stringify(toPlain({ fun, args: [...args] }))}\n`);
}

function outcomeIn(line: string): CallOutcome {
  const said = valueIn(line);
  if (!isMap(said)) return unreachable('the agent gave no answer that can be read');
  const { ret = null, retcode, success, notes, out, refusal: refused } = said;
  const outcome: Outcome = {
    ret,
    retcode: typeof retcode === 'number' ? retcode : 1,
    success: success === true,
    notes: isList(notes) ? notes.filter((note) => typeof note === 'string') : [],
    ...(typeof out === 'string' ? { out } : {}),
  };
  const problem = problemIn(said['problem']);
  if (problem !== undefined) return { ...outcome, problem };
  if (!isMap(refused)) return outcome;
  return {
    ...outcome,
    refusal: refusal(pyStr(refused['code'] ?? '') as RefusalCode, pyStr(refused['sentence'] ?? '')),
  };
}

function problemIn(said: Value | undefined): Outcome['problem'] {
  if (said === undefined || !isMap(said)) return undefined;
  const { sentence, usage } = said;
  if (typeof sentence !== 'string') return undefined;
  return { sentence, ...(typeof usage === 'string' ? { usage } : {}) };
}

function valueIn(line: string): Value | undefined {
  try {
    return fromPlain(JSON.parse(line) as Plain);
  } catch {
    return undefined;
  }
}

function unreachable(sentence: string): CallOutcome {
  return { ret: null, retcode: 1, success: false, notes: [], refusal: refusal('master_unreachable', sentence) };
}
