/**
 * Which policy each acl-service has in force, and whether it could take the newest files: each writes its own report, and
 * any of them tells all, so that one that was left behind is seen.
 *
 * Spec: spec/wire.md#policy-report.
 */
import type { Store } from '@natrium/bus';
import { decode, encode, toHex, type Wire } from '@natrium/envelope';
import { ok, refuse, type Value } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import type { Logger } from 'pino';
import type { AdminHandler } from '../admin-handler.js';
import type { Policies } from './policies.js';

const PREFIX = 'p.';
const RENEW_MS = 5 * 60_000;
/** One that has said nothing for so long is gone. */
const KEEP_MS = 60 * 60_000;

/** What is used of a `RoleLink`. */
interface Link {
  readonly own: { readonly instance: string };
  readonly clock: { now(): number };
}

export interface ReportParts {
  readonly store: Pick<Store, 'put' | 'list' | 'delete'>;
  readonly policies: { readonly current: Pick<Policies['current'], 'revision'>; readonly isRefused: boolean };
  readonly log: Pick<Logger, 'error'>;
  readonly onStop: (stop: () => Promise<void>) => void;
}

export class PolicyReports {
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly link: Link,
    private readonly parts: Omit<ReportParts, 'onStop'>,
  ) {}

  /** Tells now, and again and again until it stops; what others have left goes. */
  static async begin(link: Link, { onStop, ...parts }: ReportParts): Promise<PolicyReports> {
    const reports = new PolicyReports(link, parts);
    const timer = setInterval(() => void reports.tell().then(() => reports.sweep()), RENEW_MS).unref();
    onStop(() => {
      clearInterval(timer);
      return reports.#takeBack();
    });
    await reports.tell();
    return reports;
  }

  /** Writes what holds now; what fails goes with the next time. */
  tell(): Promise<void> {
    return (this.#writing = this.#writing.then(() => this.#tell()));
  }

  /** Of each acl-service that has told lately. */
  async list(): Promise<Value> {
    const all = await this.#all();
    return all.map(({ key, report: { revision, refused } }) => ({
      instance: key.slice(PREFIX.length),
      policy: toHex(revision),
      refused,
    }));
  }

  /** Deletes those of who is gone. */
  async sweep(): Promise<void> {
    try {
      const gone = (await this.#all()).filter(({ report: { at } }) => at + KEEP_MS < this.link.clock.now());
      await Promise.all(gone.map(({ key, revision }) => this.parts.store.delete(key, revision)));
    } catch {
      // The next time.
    }
  }

  async #takeBack(): Promise<void> {
    await this.#writing;
    await this.parts.store.delete(PREFIX + this.link.own.instance).catch(() => undefined); // another sweeps it
  }

  async #tell(): Promise<void> {
    const { own, clock } = this.link;
    const { store, policies, log } = this.parts;
    const report = { revision: policies.current.revision, refused: policies.isRefused, at: clock.now() };
    try {
      await store.put(PREFIX + own.instance, encode(writeAs(records.PolicyReport, report) as Wire));
    } catch (cause) {
      log.error({ err: cause }, 'which policy is in force here could not be told to the others');
    }
  }

  async #all() {
    const entries = await this.parts.store.list(`${PREFIX}*`);
    return entries.map(({ key, value, revision }) => ({
      ...{ key, revision },
      report: readAs(records.PolicyReport, decode(value)),
    }));
  }
}

/** `policy.in_force`: what each acl-service has told. */
export function policyHandler(reports: Pick<PolicyReports, 'list'>): AdminHandler {
  return async (fun) =>
    fun === 'policy.in_force'
      ? ok(await reports.list())
      : refuse('bad_request', 'of the policy there is policy.in_force');
}
