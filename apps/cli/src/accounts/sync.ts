/**
 * `natriumctl accounts sync`: the accounts of this host that `publisher_acl` names get keys of their own, and lose them when
 * it names them no more.
 *
 * A key is made before it is enrolled and taken out of the roster before its file goes, so that a sync that was interrupted is
 * mended by the next.
 */
import { existsSync, readFileSync } from 'node:fs';
import { compilePolicy, keyHolders, type Policy } from '@natrium/acl';
import type { MasterClient } from '@natrium/client';
import { loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { type Identity, toHex } from '@natrium/envelope';
import { isAccountName } from '@natrium/flow';
import { diskTrouble, type FolderLock, type FolderUse, lockFolder } from '@natrium/keystore';
import { err, isList, isMap, messageOf, ok, type Refusal, type Result, type Value } from '@natrium/model';
import { EXIT, exitOfRefusal } from '../common/exit-codes.js';
import { withMend } from '../common/refused.js';
import { openMaster } from '../link/open-master.js';
import type { AccountsOptions, Io } from '../ports.js';
import { enrolKey } from './enrol-key.js';
import { hasDirectory, hostAccounts, type HostEntry } from './host-accounts.js';
import { KeyFiles, prepareFolders, shutFolders } from './key-files.js';
import { type Enrolled, planSync, type Step } from './plan.js';

/** Of a folder of keys: of two that give an account a key, one's file would stay and the other's key count. */
export const ONE_SYNC: FolderUse = {
  name: 'accounts',
  program: 'natriumctl accounts sync',
  mend: 'do it again when that one has ended; nothing was changed',
};

export async function runAccountsSync(options: AccountsOptions, io: Io): Promise<number> {
  if (process.geteuid?.() !== 0)
    return fail(io, 'accounts sync makes files for other accounts: run it as root', EXIT.noKey);
  const loaded = loadMasterConfig(options.configDir);
  if (!loaded.ok) return fail(io, loaded.error.map(problemSentence).join('\n'), EXIT.badConfig);
  const { config, locate } = loaded.value;
  const { publisher_acl, client_acl_verify, user, nodegroups } = config;
  const { policy, problems } = compilePolicy({ publisher_acl, client_acl_verify, user, nodegroups });
  if (problems.length > 0) {
    const sentences = problems.map((one) => problemSentence({ ...locate(one.path), ...one }));
    return fail(io, sentences.join('\n'), EXIT.badConfig);
  }
  const master = await openMaster(options.configDir);
  if (!master.ok) return fail(io, withMend(master.error), master.error.exit);
  try {
    return await new Sync(options, io, { client: master.value.client, config, policy }).run();
  } finally {
    await master.value.transport.drain();
  }
}

interface Parts {
  readonly client: Pick<MasterClient, 'admin'>;
  readonly config: MasterConfig;
  readonly policy: Policy;
}

export class Sync {
  readonly #files: KeyFiles;

  constructor(
    private readonly options: AccountsOptions,
    private readonly io: Io,
    private readonly parts: Parts,
  ) {
    this.#files = new KeyFiles(parts.config.pki_dir);
  }

  async run(): Promise<number> {
    let lock: FolderLock | undefined;
    try {
      if (!this.options.dryRun) lock = await lockFolder(this.parts.config.pki_dir, ONE_SYNC);
    } catch (error) {
      return fail(this.io, messageOf(error), EXIT.failed);
    }
    try {
      return await this.#runAlone();
    } finally {
      lock?.release();
    }
  }

  async #runAlone(): Promise<number> {
    const enrolled = await this.#enrolled();
    if (!enrolled.ok) return fail(this.io, enrolled.error.sentence, exitOfRefusal(enrolled.error));
    const { policy } = this.parts;
    const host = await hostAccounts(policy.publisher.map(({ key }) => key).filter(isAccountName));
    const ready = this.#prepare(enrolled.value, host);
    if (!ready.ok) return fail(this.io, ready.error, EXIT.failed);
    const codes = [];
    for (const step of ready.value) codes.push(await this.#carryOut(step, host.get(step.name)));
    if (codes.length === 0) this.io.out('publisher_acl names no account: nothing to do\n');
    const { configDir, dryRun } = this.options;
    for (const folder of dryRun ? [] : shutFolders([configDir, this.parts.config.pki_dir])) {
      this.io.err(`natriumctl accounts: other accounts cannot pass ${folder}: chmod o+x ${folder}\n`);
    }
    return Math.max(0, ...codes);
  }

  /** What is to be done, and the folders for it. */
  #prepare(enrolled: readonly Enrolled[], host: ReadonlyMap<string, HostEntry>): Result<readonly Step[], string> {
    const { policy, config } = this.parts;
    const { configDir, dryRun, replace, removeMissing } = this.options;
    const accounts = [...host.keys()];
    const keys = policy.publisher.filter(({ key }) => isAccountName(key));
    try {
      const steps = planSync({
        holders: keyHolders(policy, accounts),
        literal: keys.flatMap(({ key, users }) =>
          PATTERN.test(key) || accounts.some((name) => users.test(name)) ? [] : [key],
        ),
        isNamed: (name) => policy.publisher.some(({ key, users }) => key === name || users.test(name)),
        masterAccount: config.user,
        host,
        files: this.#files.all(),
        enrolled,
        replace,
        missingIsGone: removeMissing || !hasDirectory(nameServiceSwitch()),
      });
      const problem = dryRun ? undefined : prepareFolders(configDir, config);
      return problem === undefined ? ok(steps) : err(problem);
    } catch (error) {
      return err(troubleOf(error));
    }
  }

  async #carryOut(step: Step, owner: HostEntry | undefined): Promise<number> {
    const { name } = step;
    if (step.do === 'nothing') return this.#say(name, 'has its key');
    if (step.do === 'skip') return this.#say(name, `gets no key: ${step.why}`);
    if (step.do === 'conflict') return this.#say(name, `is left as it is: ${step.why}`, EXIT.failed);
    if (this.options.dryRun) return this.#say(name, `${WOULD[step.do]}${step.do === 'remove' ? `: ${step.why}` : ''}`);
    try {
      const done =
        step.do === 'remove' ? await this.#remove(step) : owner === undefined ? ok('') : await this.#give(step, owner);
      if (done.ok) return this.#say(name, done.value);
      return this.#say(name, `was refused: ${done.error.sentence}`, exitOfRefusal(done.error));
    } catch (error) {
      return this.#say(name, `is not done: ${troubleOf(error)}, and run this again`, EXIT.failed);
    }
  }

  async #give(
    step: Extract<Step, { do: 'make' | 'enrol' | 'shut' }>,
    owner: HostEntry,
  ): Promise<Result<string, Refusal>> {
    const { name } = step;
    if (step.do === 'shut') {
      this.#files.shut(name, owner);
      return ok('has its key, which it alone may read again');
    }
    if (step.without !== undefined) {
      const removed = await this.#admin('account.remove', { name, fingerprint: step.without });
      if (!removed.ok) return removed;
    }
    const kept = step.do === 'make' ? undefined : this.#files.identityOf(name);
    if (kept === undefined && step.do === 'enrol') return ok('lost its key meanwhile; run this again');
    if (kept !== undefined) this.#files.shut(name, owner);
    const enrolled = await enrolKey(kept, {
      make: () => this.#files.make(name, owner),
      enrol: (identity) => this.#admin('account.enrol', publicsOf(name, identity)),
    });
    return enrolled.ok
      ? ok(step.without === undefined ? 'got a key' : 'got a new key in place of its old one')
      : enrolled;
  }

  async #remove({ name, fingerprint, file, why }: Extract<Step, { do: 'remove' }>): Promise<Result<string, Refusal>> {
    if (fingerprint !== undefined) {
      const removed = await this.#admin('account.remove', { name, fingerprint });
      if (!removed.ok) return removed;
    }
    if (file) this.#files.remove(name);
    return ok(`lost its key: ${why}`);
  }

  async #enrolled(): Promise<Result<readonly Enrolled[], Refusal>> {
    const answer = await this.#admin('account.list');
    return answer.ok ? ok(enrolledIn(answer.value)) : err(answer.error);
  }

  #admin(fun: string, arg?: Readonly<Record<string, string>>): Promise<Result<Value, Refusal>> {
    return this.parts.client.admin('key', fun, arg === undefined ? [] : [arg]);
  }

  #say(name: string, what: string, code = 0): number {
    const line = `${name}: ${what}\n`;
    if (code === 0) this.io.out(line);
    else this.io.err(line);
    return code;
  }
}

/** Characters that no account has in its name, and an expression means something by. */
const PATTERN = /[*?+|^$()[\]{}]/;

const NAME_SERVICE_SWITCH = '/etc/nsswitch.conf';

/** A host without that file asks its own files alone. */
function nameServiceSwitch(): string {
  return existsSync(NAME_SERVICE_SWITCH) ? readFileSync(NAME_SERVICE_SWITCH, 'utf8') : '';
}

const WOULD = {
  make: 'would get a key',
  enrol: 'would have its key enrolled',
  shut: 'would have its key shut to others again',
  remove: 'would lose its key',
} as const;

function publicsOf(name: string, { publicKey, nkeyPublic }: Identity): Readonly<Record<string, string>> {
  return { name, identity: toHex(publicKey), nkey: toHex(nkeyPublic) };
}

function enrolledIn(value: Value): readonly Enrolled[] {
  if (!isList(value)) return [];
  return value.flatMap((item) => {
    if (!isMap(item)) return [];
    const { name, fingerprint, state } = item;
    const isOne = typeof name === 'string' && typeof fingerprint === 'string' && typeof state === 'string';
    return isOne ? [{ name, fingerprint, state }] : [];
  });
}

/** What is wrong with a file or a folder; anything else is thrown on. */
function troubleOf(error: unknown): string {
  const path = typeof error === 'object' && error !== null && 'path' in error ? error.path : undefined;
  if (typeof path !== 'string') throw error;
  return diskTrouble(path, error);
}

function fail(io: Io, sentence: string, code: number): number {
  io.err(`natriumctl accounts: ${sentence}\n`);
  return code;
}
