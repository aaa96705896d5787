/**
 * The policy in force, and how it changes: the files are read again, a policy with problems is reported and never taken.
 *
 * Spec: spec/acl.md, docs/audit.md.
 */
import { dirname } from 'node:path';
import {
  type ConfigProblem,
  loadMasterConfig,
  type LoadedConfig,
  type MasterConfig,
  problemSentence,
  type WatchedFolder,
} from '@natrium/config';
import { ConfigInvalid } from '@natrium/edge';
import { PolicyReload } from '@natrium/flow';
import type { Result } from '@natrium/model';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.js';
import type { Inventory } from '../data/inventory.js';
import { Policy } from './policy.js';
import type { Roster } from '../roster/roster.js';

export interface PolicyParts {
  readonly roster: Roster;
  readonly inventory: Inventory;
  readonly audit: AuditLog;
  readonly log: Logger;
  /** The configuration was read again and is sound. */
  readonly onLoad: (config: MasterConfig) => void;
  /** The files were read again: another policy may be in force, or they are refused. */
  readonly onRead: () => void;
  /** True once after this process stood still. */
  readonly stoodStill: () => boolean;
}

/** Problems that the audit keeps of one load; the log has all. */
const AUDITED_PROBLEMS = 16;
const AUDITED_TEXT = 1024;

export class Policies {
  readonly #reload: PolicyReload<Policy, ConfigProblem>;
  #loaded: LoadedConfig<MasterConfig>;
  #isRefused = false;

  /** @throws {ConfigInvalid} When an access list is malformed: file, line, key, reason and mend of each problem. */
  constructor(
    first: LoadedConfig<MasterConfig>,
    private readonly parts: PolicyParts,
  ) {
    this.#loaded = first;
    const policy = Policy.read(first, parts.roster, parts.inventory);
    if (!policy.ok) {
      throw new ConfigInvalid(`the access lists have problems\n${policy.error.map(problemSentence).join('\n')}`);
    }
    this.#reload = new PolicyReload(policy.value, {
      load: () => this.#load(),
      revisionOf: ({ revisionText }) => revisionText,
      adopted: (next, before) => {
        this.#tell(next, { before: before.revisionText });
      },
      kept: (problems, { revisionText }) => {
        this.#isRefused = true;
        this.#tellProblems(problems, revisionText);
      },
    });
    this.#tell(policy.value, {});
  }

  /** After a standstill the files are read first: what waited here is not decided by rules that were removed meanwhile. */
  get current(): Policy {
    if (this.parts.stoodStill()) {
      this.reload();
      // What the reading takes is none: each decision would read the files again.
      this.parts.stoodStill();
    }
    return this.#reload.current;
  }

  /** Whether the newest files could not be taken: the policy before stays in force, and no start would succeed with them. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Reads the files again. */
  reload(): void {
    const [before, wasRefused] = [this.#reload.current, this.#isRefused];
    this.#isRefused = false;
    this.#reload.reload();
    // The files are in order again, and say what is in force already.
    if (wasRefused && !this.isRefused && this.#reload.current === before) this.#tell(before, {});
    this.parts.onRead();
  }

  /** The folder of `-c`. */
  get configDir(): string {
    return dirname(this.#loaded.locate([]).file);
  }

  /** Where the files of the last configuration that could be read are, its access lists sound or not, and where further ones would be. */
  get folders(): readonly WatchedFolder[] {
    return this.#loaded.folders;
  }

  #load(): Result<Policy, readonly ConfigProblem[]> {
    const loaded = loadMasterConfig(this.configDir);
    if (!loaded.ok) return loaded;
    this.#loaded = loaded.value;
    const policy = Policy.read(loaded.value, this.parts.roster, this.parts.inventory);
    if (policy.ok) this.parts.onLoad(loaded.value.config);
    return policy;
  }

  #tell({ revisionText: revision }: Policy, more: Readonly<Record<string, string>>): void {
    this.parts.audit.note({ what: 'policy', verdict: 'in_force', rule: null, detail: { policy: revision, ...more } });
    this.parts.log.info({ policy: revision, ...more }, 'policy in force');
  }

  #tellProblems(problems: readonly ConfigProblem[], revision: string): void {
    for (const problem of problems) {
      this.parts.log.error(
        { ...problem, policy: revision },
        `the old policy stays in force: ${problemSentence(problem)}`,
      );
    }
    const kept = problems
      .slice(0, AUDITED_PROBLEMS)
      .map((problem) => problemSentence(problem).slice(0, AUDITED_TEXT).toWellFormed());
    const detail = { policy: revision, problems: kept, count: problems.length };
    this.parts.audit.note({ what: 'policy', verdict: 'refused', rule: null, detail });
  }
}
