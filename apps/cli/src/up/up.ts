/**
 * `natriumctl up`: a whole cluster in the foreground.
 *
 * `ready` is printed only when a `test.ping` of every minion has been answered. Ctrl-C ends all of it, in order: minions,
 * services, broker. A child that dies is reported and not started again: what restarts it in production is the host's
 * service manager.
 */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokerKeys } from '@natrium/broker-auth';
import { type ConfigProblem, loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { type FolderLock, type FolderUse, lockFolder, makeFolder, MasterKeys, readIdentity } from '@natrium/keystore';
import { messageOf, ok, parseMinionId } from '@natrium/model';
import { ANY_PORT, freePort } from '@natrium/process';
import { EXIT } from '../common/exit-codes.js';
import { untilToldToStop } from '../common/interrupt.js';
import { UsageError } from '../common/options.js';
import { pathTrouble } from '../common/path-trouble.js';
import { shellWord } from '../common/shell-quoted.js';
import { runInit } from '../init/init.js';
import { connectMaster } from '../link/connect-master.js';
import type { Io, UpOptions } from '../ports.js';
import { brokerAnswers, brokerProgram } from './broker.js';
import { Child, guarded, type Program } from './child.js';
import {
  certify,
  type Folders,
  foundedCluster,
  malformed,
  overruled,
  prepareFolders,
  renamed,
  writeBroker,
  writeMinion,
} from './folders.js';
import { type GivenFiles, leftBehind, pathsLeftBehind, takeGivenFiles } from './given-files.js';
import { letIn } from './letting-in.js';
import { allAnswer } from './pinging.js';
import { type How, LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE, withHttp } from './process-flags.js';
import { BROKER, endOf, lineOf } from './told.js';
import { linkedTo } from './young.js';

const GATEWAY = 'master-gateway';
const SERVICES = ['acl-service', GATEWAY, 'runner-service'] as const;
/** Runs only where the master file has event_sinks. */
const SINK = 'event-sink';
/** Keys live in memory only: a crash must not write them to a disk. Node cannot set this limit itself. */
const NO_CORE_DUMP = 'ulimit -c 0; exec "$@"';
/** Of a state folder. */
export const ONE_UP: FolderUse = {
  name: 'up',
  program: 'natriumctl up',
  mend: 'end that one first, or name another folder with --state',
};
const STATE_MODE = 0o750;
const READY_MS = 60_000;

/** Everything that the file lacks has been said. */
class MasterFileBroken extends Error {
  override readonly name = 'MasterFileBroken';
}

/** @throws {UsageError} When the command line names what is not there; nothing is made then. */
export async function runUp(given: UpOptions, io: Io): Promise<number> {
  const options = { ...given, state: resolve(given.state) };
  checkWords(options);
  makeState(options.state);
  const cluster = new Cluster(options, io);
  let lock: FolderLock | undefined;
  try {
    lock = await lockFolder(options.state, ONE_UP);
    await sodiumReady();
    await cluster.start();
    await cluster.runUntilInterrupted();
    return 0;
  } catch (error) {
    if (error instanceof MasterFileBroken) return EXIT.badConfig;
    io.err(`natriumctl: error: ${messageOf(error)}\n`);
    return EXIT.failed;
  } finally {
    await cluster.stop();
    lock?.release();
  }
}

class Cluster {
  readonly #minions: Child[] = [];
  readonly #services: Child[] = [];
  #broker: Child | undefined;
  #isUp = false;
  /** Of the first gateway. */
  #httpPort: number | undefined;
  readonly #interrupted: Promise<void>;

  constructor(
    private readonly options: UpOptions,
    private readonly io: Io,
  ) {
    this.#interrupted = untilToldToStop(io);
  }

  async start(): Promise<void> {
    const began = this.io.now();
    const folders = await prepareFolders(this.options);
    const config = this.#masterConfig(folders);
    await this.#found(folders, config);
    await this.#orInterrupted(this.#startAll(folders, config));
    this.#isUp = true;
    const seconds = ((this.io.now() - began) / 1000).toFixed(1);
    const minions = String(this.options.minions.length);
    if (this.#httpPort !== undefined) this.io.out(`http api: port ${String(this.#httpPort)}\n`);
    this.io.out(`ready: ${minions} minions in ${seconds} s; natrium -c ${shellWord(folders.master)} '*' test.ping\n`);
  }

  /** Resolves when it is told to end; fails when the broker has ended, without which nothing works. */
  async runUntilInterrupted(): Promise<void> {
    await Promise.race([this.#interrupted, this.#brokerLost()]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#minions.map((child) => child.stop()));
    await Promise.all(this.#services.map((child) => child.stop()));
    await this.#broker?.stop();
  }

  /** Read before anything is started: each service would say the same. */
  #masterConfig({ master }: Folders): MasterConfig {
    const { masterConfig: given } = this.options;
    const founded = foundedCluster(master, this.options);
    const taken = given === undefined ? ok(undefined) : takeGivenFiles(given, master);
    if (!taken.ok) return this.#broken(taken.error);
    const loaded = loadMasterConfig(master);
    const problems = loaded.ok
      ? [
          ...overruled(loaded.value, master),
          ...renamed(loaded.value, founded),
          ...malformed(loaded.value),
          ...(given === undefined ? [] : leftBehind(given, loaded.value.files, master)),
          ...(given === undefined ? [] : pathsLeftBehind(given, loaded.value, master)),
        ]
      : loaded.error;
    if (loaded.ok && problems.length === 0) {
      for (const [file, kept] of taken.value?.kept ?? [])
        this.io.err(`natriumctl: the ${file} of last time is now ${kept}\n`);
      return loaded.value.config;
    }
    taken.value?.undo();
    return this.#broken(problems, taken.value);
  }

  #broken(problems: readonly ConfigProblem[], taken?: GivenFiles): never {
    for (const problem of problems) {
      const file = taken?.origins.get(problem.file) ?? problem.file;
      this.io.err(`${problemSentence({ ...problem, file })}\n`);
    }
    throw new MasterFileBroken();
  }

  async #found(folders: Folders, { cluster }: MasterConfig): Promise<void> {
    const keys = new MasterKeys(`${folders.master}/pki`);
    const broker = new BrokerKeys(`${keys.folder}/broker`);
    if (!keys.exists) {
      const silent = { ...this.io, out: () => undefined };
      if ((await runInit({ configDir: folders.master, brokerAuth: this.options.brokerAuth ?? 'jwt' }, silent)) !== 0)
        throw new Error('the cluster could not be founded');
    } else if (!broker.exists) {
      // A folder from before the broker asked for users.
      await broker.create(cluster);
    } else {
      // An earlier version had fewer: without its own a service would end as soon as it is started.
      await broker.complete();
    }
    if (this.options.tls === true) await certify(folders.master);
  }

  async #startAll(folders: Folders, config: MasterConfig): Promise<void> {
    writeBroker(folders, this.options);
    this.#broker = this.#child(guarded(BROKER, await brokerProgram(), ['-c', folders.brokerConfig]));
    await brokerAnswers(folders.natsPort, { ended: this.#broker.ended, waitMs: READY_MS }, this.io);
    // Services and minions would wait for another one for ever.
    await Promise.race([this.#startOthers(folders, config), this.#brokerLost()]);
  }

  async #brokerLost(): Promise<never> {
    throw new Error(`the broker ended: ${String(await this.#broker?.ended)}`);
  }

  async #startOthers(folders: Folders, { event_sinks: sinks, cluster }: MasterConfig): Promise<void> {
    const { replicas: wanted, httpPort } = this.options;
    this.#httpPort = httpPort === ANY_PORT ? await freePort(wanted[GATEWAY] ?? 1) : httpPort;
    for (const name of Object.keys(sinks).length > 0 ? [...SERVICES, SINK] : SERVICES) {
      const replicas = this.options.replicas[name] ?? 1;
      for (let n = 1; n <= replicas; n += 1) {
        const label = replicas === 1 ? name : `${name}.${String(n)}`;
        this.#services.push(this.#child(appProgram(label, name, folders.master, this.#howOf(name, n))));
      }
    }
    for (const id of this.options.minions) {
      writeMinion(folders, { id, cluster }, this.options);
      this.#minions.push(this.#child(appProgram(id, 'minion-agent', folders.minion(id), LEAN_AGENT)));
    }
    await Promise.all(this.#services.map((child) => child.ready));
    await this.#letIn(folders);
  }

  /** The operator accepts the very keys that the minions of this cluster have on disk, then everyone answers a ping. */
  async #letIn(folders: Folders): Promise<void> {
    const young = {
      ids: this.options.minions,
      now: () => this.io.now(),
      waitMs: READY_MS,
      isWhole: () =>
        this.#broker?.hasEnded !== true && ![...this.#services, ...this.#minions].some(({ hasEnded }) => hasEnded),
    };
    const link = await linkedTo(
      () => connectMaster({ configDir: folders.master }),
      young,
      (sentence) => {
        this.io.err(`natriumctl: ${sentence}\n`);
      },
    );
    try {
      await letIn(link, { ...young, fingerOf: (id) => fingerOf(folders, id), master: folders.master });
      await Promise.all(this.#minions.map((child) => child.ready));
      await allAnswer(link, young);
    } finally {
      await link.close();
    }
  }

  /** Each replica of the gateway has a port of its own, one after the other. */
  #howOf(service: string, replica: number): How {
    if (service !== GATEWAY) return SMALL_SERVICE;
    if (this.#httpPort === undefined) return ROOMY_GATEWAY;
    return withHttp(ROOMY_GATEWAY, this.#httpPort + replica - 1);
  }

  #child(program: Program): Child {
    const news = () => ({ name: program.name, isUp: this.#isUp });
    const child = new Child(program, (line) => {
      const told = lineOf(news(), line);
      if (told !== undefined) this.io.err(`${told}\n`);
    });
    void child.ended.then((how) => {
      if (!child.stopping) this.io.err(`${endOf(news(), how)}\n`);
    });
    // Who waits for it hears of it; nobody has to.
    child.ready.catch(() => undefined);
    return child;
  }

  async #orInterrupted(work: Promise<void>): Promise<void> {
    await Promise.race([work, this.#interrupted.then(() => Promise.reject(new Error('interrupted')))]);
  }
}

function appProgram(name: string, app: string, configDir: string, { flags, env }: How): Program {
  const file = fileURLToPath(new URL(`../${app}/main.mjs`, import.meta.url));
  const args = ['-c', NO_CORE_DUMP, 'sh', process.execPath, ...flags, file, '-c', configDir];
  return { name, file: '/bin/sh', args, env, saysReady: true };
}

function fingerOf(folders: Folders, id: string): string | undefined {
  const identity = readIdentity(`${folders.minion(id)}/pki/minion.key`);
  return identity === undefined ? undefined : fingerprint(identity.publicKey);
}

function makeState(state: string): void {
  try {
    makeFolder(state, STATE_MODE);
  } catch (error) {
    throw new UsageError(`option --state: ${pathTrouble(state, error)}`);
  }
}

function checkWords({ minions, replicas, masterConfig }: UpOptions): void {
  for (const id of minions)
    if (parseMinionId(id) === undefined)
      throw new UsageError(`option --minions: ${JSON.stringify(id)} is no name of a minion`);
  for (const name of Object.keys(replicas)) {
    if (![...SERVICES, SINK].some((service) => service === name))
      throw new UsageError(`option --replicas: there is no service ${name}; there are ${SERVICES.join(', ')}, ${SINK}`);
  }
  if (masterConfig !== undefined && !existsSync(masterConfig))
    throw new UsageError(`option --master-config: there is no file ${masterConfig}`);
  if (masterConfig !== undefined && statSync(masterConfig).isDirectory())
    throw new UsageError(`option --master-config: ${masterConfig} is a folder: name the file in it`);
}
