/**
 * The life of a service process: configuration, keys, the bus, its module, ready, and a clean end.
 *
 * Told to stop by SIGTERM, it leaves its queue, so that its fellows get what is asked from then on, answers what it was asked, for
 * 20 s at most, and goes. SIGINT and a second signal end the waiting.
 *
 * A supervisor that holds the other end of standard input (`NATRIUM_SUPERVISED=1`) takes the service with it when it dies.
 */
import 'reflect-metadata';
import type { DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readTrouble, writeTrouble } from '@natrium/bus';
import { logOptions } from '@natrium/config';
import { type RoleName, sodiumBuild, sodiumReady } from '@natrium/envelope';
import {
  lastingLog,
  programOptions,
  STOP_MS,
  tidyAtRest,
  WAITING_LOG_BYTES,
  whenToldToStop,
  within,
} from '@natrium/process';
import { type LiveTracing, NOT_TRACED, openTracing } from '@natrium/tracing';
import { messageOf, VERSION } from '@natrium/model';
import { pino, type Logger } from 'pino';
import { endWhenLost } from './broker-login.js';
import { tellLinkFigures } from './link-figures.js';
import { MetricsDoor, metricsAddress } from './metrics-door.js';
import { nestLogger } from './nest-logger.js';
import { RoleLink } from './role-link.js';
import { AsThrown, SealedStrategy } from './sealed-strategy.js';
import { readServiceConfig, type ServiceConfig } from './service-config.js';
import { ServiceMetrics } from './service-metrics.js';
import { tellingFailures } from './telling-failures.js';

type Hook = () => Promise<void> | void;

/** What the service's own parts do at each step of its life. */
type Hooks = Readonly<Record<'begins' | 'first' | 'finishes' | 'stops', Hook[]>>;

export interface ServiceStart {
  readonly link: RoleLink;
  readonly config: ServiceConfig;
  readonly log: Logger;
  /** Where it is asked for its figures; there is no such door without `--metrics`. */
  readonly metrics: ServiceMetrics | undefined;
  /** Registers what is to be begun once the service hears. */
  readonly onListening: (begin: Hook) => void;
  /** Registers what is to be done first when the service stops; it still hears what is for this replica alone. */
  readonly beforeStop: (stop: Hook) => void;
  /** Registers what is waited for after that, together with the answers that it still owes; it still hears what is for this replica alone. */
  readonly onFinish: (finish: Hook) => void;
  /** Registers what is to be done before the connection closes. */
  readonly onStop: (stop: Hook) => void;
}

type Create = (start: ServiceStart) => Promise<DynamicModule>;

/** A service that listens. */
export interface OpenService {
  readonly link: RoleLink;
  /**
   * Stops listening, finishes what has arrived, for 20 s at most or until `atOnce` is aborted, and closes the connection.
   *
   * @throws {AggregateError} Of the parts that could not be stopped; the others are, and the connection is closed.
   */
  close(atOnce?: AbortSignal): Promise<void>;
}

/** Time to store what came last, after the 20 s: only a moment is needed where the broker takes writes. */
const LAST_MS = 3000;

const OWN_OPTIONS = {
  metrics: {
    value: '[HOST:]PORT',
    about: 'figures for Prometheus, /healthz and /readyz',
  },
};

const ABOUT = {
  acl: 'An acl-service: decides what is asked for, and lets minions and accounts in.',
  gateway: 'A master-gateway: sends jobs to minions and gathers their returns.',
  runner: 'A runner-service: runs runners and the wheel, and reacts to events.',
  sink: 'An event sink: writes events into a file or a database.',
} as const satisfies Partial<Record<RoleName, string>>;

/** Runs one service of a role until it is told to stop. A failure at start ends the process with status 1 and one sentence. */
export async function runService(role: keyof typeof ABOUT, create: Create): Promise<void> {
  try {
    await start(role, create);
  } catch (error) {
    process.stderr.write(`natrium ${role}: ${messageOf(error)}\n`);
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100).unref();
  }
}

async function start(role: keyof typeof ABOUT, create: Create): Promise<void> {
  endWithSupervisor();
  const { configDir, own } = programOptions(`natrium ${role}`, ABOUT[role], OWN_OPTIONS);
  const address = own.metrics === undefined ? undefined : metricsAddress(own.metrics);
  const config = readServiceConfig(configDir);
  const output = lastingLog(pino.destination({ dest: 1, maxLength: WAITING_LOG_BYTES }));
  const log = pino(logOptions(config.logLevel, { service: role }, pino.stdSerializers.err), output);
  for (const report of config.reports) log.warn(report);
  const door = address === undefined ? undefined : await MetricsDoor.open(address);
  const metrics = door === undefined ? undefined : new ServiceMetrics(role);
  const service = await openService({ role, config, log, metrics }, create);
  const { transport } = service.link;
  endWhenLost(transport, log);
  if (metrics !== undefined)
    door?.serve({
      metrics,
      brokerAnswers: () => transport.flush(),
      storeTrouble: () => writeTrouble(transport) ?? readTrouble(transport),
    });
  process.on('SIGUSR2', () => {
    service.link.newEpoch();
  });
  tidyAtRest([service.link.bus.sealer], false);
  stopOnSignal(log, (atOnce) => {
    door?.serve(undefined);
    return service.close(atOnce);
  });
  process.send?.({ ready: true });
  log.info({ version: VERSION, instance: service.link.own.instance, libsodium: sodiumBuild() }, 'ready');
}

export interface ServiceOptions {
  readonly role: RoleName;
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly metrics?: ServiceMetrics | undefined;
}

/**
 * Puts one service onto the bus; it listens when this resolves. What a process is besides (signals, arguments) is not in here.
 *
 * @throws {Error} What failed first; its connections are closed.
 */
export async function openService(options: ServiceOptions, create: Create): Promise<OpenService> {
  const { role, config, log, metrics } = options;
  await sodiumReady();
  const onUnopened = (reason: string) => {
    metrics?.unopened(reason);
  };
  let traces: LiveTracing = NOT_TRACED;
  const open = async (instance: string) => {
    const onProblem = (sentence: string) => {
      log.error(sentence);
    };
    traces = await openTracing({ ...config.trace, cluster: config.cluster, service: role, instance, onProblem });
    return traces.tracing;
  };
  const hooks: Hooks = { begins: [], first: [], finishes: [], stops: [] };
  const ends: Hook[] = [() => traces.close()];
  try {
    const link = await RoleLink.open({ role, log, onUnopened, openTracing: open, ...config });
    ends.unshift(() => link.close());
    const strategy = strategyOf(link, options);
    const app = await begin({ link, strategy, hooks }, options, create);
    const close = async (atOnce?: AbortSignal) => {
      // What cannot be finished does not keep the service from its end.
      const leaving = leave(link, strategy, hooks).catch((error: unknown) => {
        log.error({ err: error }, 'what is under way could not be finished');
      });
      await within(STOP_MS, leaving, atOnce);
      const { size: unanswered } = strategy.answering;
      if (unanswered > 0) log.warn({ unanswered }, 'it ends all the same: what it was asked has no answer yet');
      const settleOnce = () => within(LAST_MS, settleLast(link, strategy), atOnce);
      await eachInTurn([() => app.close(), settleOnce, ...hooks.stops, ...ends]);
    };
    return { link, close };
  } catch (error) {
    const ended = eachInTurn([...hooks.first, ...hooks.stops, ...ends]).catch(() => undefined); // the first failure is told
    await within(LAST_MS, ended);
    throw error;
  }
}

interface Begun {
  readonly link: RoleLink;
  readonly strategy: SealedStrategy;
  readonly hooks: Hooks;
}

/** Makes the service's parts, announces it, listens, and begins what waits for that. */
async function begin(
  { link, strategy, hooks }: Begun,
  { config, log, metrics }: ServiceOptions,
  create: Create,
): Promise<INestMicroservice> {
  if (metrics !== undefined) tellLinkFigures(metrics, link);
  const module = await create({
    link,
    config,
    log,
    metrics,
    onListening: (hook) => hooks.begins.push(hook),
    beforeStop: (stop) => hooks.first.push(stop),
    onFinish: (finish) => hooks.finishes.push(finish),
    onStop: (stop) => hooks.stops.push(stop),
  });
  await link.announce();
  const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger(log), abortOnError: false });
  app.useGlobalFilters(new AsThrown());
  await app.listen();
  for (const route of strategy.getHandlers().keys()) metrics?.serves(route);
  await link.transport.flush();
  for (const hook of hooks.begins) await hook();
  return app;
}

function strategyOf({ bus, own }: RoleLink, { role, config, log, metrics }: ServiceOptions): SealedStrategy {
  const tellFailure = tellingFailures(log);
  return new SealedStrategy({
    bus,
    prefix: `nt.${config.cluster}`,
    queue: role,
    instance: own.instance,
    onHandlerFailure: (route, cause) => {
      const why = tellFailure(route, cause);
      metrics?.handlerFailed(route, why);
    },
    onAnswered: (route, seconds) => {
      metrics?.handled(route, seconds);
    },
  });
}

/**
 * Takes no more, and resolves when all is answered and finished.
 *
 * @throws {AggregateError} Of the parts that failed: the others are waited for all the same, and so are the answers.
 */
async function leave({ transport }: RoleLink, strategy: SealedStrategy, { first, finishes }: Hooks): Promise<void> {
  const left = await Promise.allSettled([strategy.leaveQueue(), ...first.map(async (stop) => stop())]);
  const finished = await Promise.allSettled([
    strategy.answering.settled(),
    ...finishes.map(async (finish) => finish()),
  ]);
  // The last answers leave before the announcement is taken back: after that, nobody could open them. While the broker is away they are
  // sent when the connection is closed.
  await transport.flush().catch(() => undefined);
  throwAny([...left, ...finished].flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])));
}

/** Nothing comes in any more: what came last is stored, and told on the event bus, before that is closed. */
async function settleLast({ transport }: RoleLink, strategy: SealedStrategy): Promise<void> {
  await strategy.beginning.settled();
  await transport.flush().catch(() => undefined);
}

/** @throws {AggregateError} When some of them failed, after the last one. */
async function eachInTurn(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (cause) {
      failures.push(cause);
    }
  }
  throwAny(failures);
}

function throwAny(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
}

/** Called first of all: a service that waits for its broker would otherwise outlive its supervisor. */
function endWithSupervisor(): void {
  if (process.env['NATRIUM_SUPERVISED'] !== undefined) process.stdin.on('end', () => process.exit(0)).resume();
}

function stopOnSignal(log: Logger, stop: (atOnce: AbortSignal) => Promise<void>): void {
  whenToldToStop((why, atOnce) => {
    log.info(`stopping: ${why}`);
    stop(atOnce).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  });
}
