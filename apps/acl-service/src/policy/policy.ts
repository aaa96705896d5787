/**
 * One policy: compiled from the master's configuration, immutable. `policies.ts` says which one is in force.
 *
 * Spec: spec/acl.md.
 */
import {
  type AccountClaim,
  type AccountIdentity,
  type Ask,
  authenticateAccount,
  checkToken,
  compilePolicy,
  decide,
  type LoginInfo,
  listsOfLogin,
  makeToken,
  type Policy as Rules,
  requestTarget,
  TargetMemo,
  type TokenRecord,
  type TokenRequest,
  unusableTarget,
} from '@natrium/acl';
import { type ConfigProblem, type LoadedConfig, type MasterConfig, POLICY_KEYS, policyValues } from '@natrium/config';
import { policyRevision, toHex } from '@natrium/envelope';
import type { Allowed, Proved, SignedRequest } from '@natrium/flow';
import { certainlyMatches, type Inventory as Matched, parseTarget, type Room } from '@natrium/matchers';
import {
  err,
  fromPlain,
  ok,
  pyRepr,
  type Refusal,
  refusal,
  refuse,
  type Request,
  type Result,
  type Target,
  type Value,
} from '@natrium/model';
import { withBuiltInGrants } from '@natrium/runners';
import type { Inventory } from '../data/inventory.js';
import type { Roster } from '../roster/roster.js';

const MEMO = 10_000;
/** So many tests of a term on a minion, a millisecond of the acl-service's only thread, cost their caller as much as a request. */
const TESTS_OF_A_REQUEST = 20_000;

/** What separates the keys in a target's path; whoever asks may choose it. */
const DELIMITER = /^[^]{1,16}$/u;
/** An account's name as it may be claimed. */
const CLAIM = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

export type OnTests = (tests: number) => void;

/** Requests that finding out whom a target means counts for, beside the one that it is part of. */
export function requestsFor(tests: number): number {
  return Math.floor(tests / TESTS_OF_A_REQUEST);
}

export class Policy {
  readonly #rules: Rules;
  readonly #memo = new TargetMemo(MEMO);
  /** 32 bytes, equal on all replicas. */
  readonly revision: Uint8Array;
  readonly revisionText: string;

  private constructor(
    rules: Rules,
    config: MasterConfig,
    private readonly roster: Roster,
    private readonly inventory: Inventory,
  ) {
    this.#rules = rules;
    this.revision = policyRevision(policyValues(config));
    this.revisionText = toHex(this.revision);
  }

  /** @returns Every problem of the access lists with its file, line, key, reason and mend. */
  static read(
    { config, locate }: LoadedConfig<MasterConfig>,
    roster: Roster,
    inventory: Inventory,
  ): Result<Policy, readonly ConfigProblem[]> {
    // Switching the data cache off has no effect; the configuration's own report says so.
    const lists: Record<string, Value> = Object.fromEntries(
      POLICY_KEYS.filter((key) => key !== 'minion_data_cache').map((key) => [key, config[key]]),
    );
    lists['runner_grants'] = withBuiltInGrants(config.runner_grants);
    const { policy, problems } = compilePolicy(lists);
    if (problems.length > 0)
      return err(problems.map(({ path, reason, mend }) => ({ ...locate(path), path, reason, mend })));
    return ok(new Policy(policy, config, roster, inventory));
  }

  get masterAccount(): string {
    return this.#rules.settings.masterAccount;
  }

  /**
   * Who an account is that asks: the one whose key signed, or what the request claims (`as`), which counts from the master's
   * own key only.
   */
  identify(keyOf: string, { as: claimed = keyOf }: Request['options']): Result<AccountIdentity, Refusal> {
    const mayClaim = claimed === keyOf || keyOf === this.masterAccount;
    if (typeof claimed !== 'string' || !CLAIM.test(claimed) || !mayClaim) {
      return err(
        refusal('bad_credential', `the key of account ${keyOf} does not prove the account that the request claims`),
      );
    }
    return authenticateAccount(this.#rules, { claimed, keyOf });
  }

  makeToken(request: TokenRequest): TokenRecord {
    return makeToken(this.#rules, request);
  }

  checkToken(record: TokenRecord, nowMs: number): Result<TokenRecord, Refusal> {
    return checkToken(this.#rules, record, nowMs);
  }

  /** What an external user has: the list as Salt's login tells it (texts first, then mappings), and whether others' jobs show. */
  accessOfLogin(name: string, login: LoginInfo): { readonly perms: Value; readonly seesJobs: boolean } {
    const { external, settings } = this.#rules;
    const { backend, groups, ownList } = login;
    const fromFile = listsOfLogin(external.get(backend) ?? [], { name, groups }, settings.permissiveAcl);
    const perms = permsOf(ownList ?? fromFile.flatMap(({ source }) => source));
    const ask: Ask = { principal: { kind: 'token', name }, what: 'run', funs: ['jobs.list_jobs'], args: [[]], login };
    return { perms, seesJobs: decide(this.#rules, ask, this.#matched(), this.#memo).allow };
  }

  /**
   * @param account Who the caller is, when it is an account.
   * @param login Of an external user or a token.
   * @param onTests Hears how often a term of the target was tried on a minion, however it is decided.
   */
  decide(
    proved: Proved,
    ask: SignedRequest,
    account?: Result<AccountIdentity, Refusal>,
    login?: LoginInfo,
    onTests: OnTests = () => undefined,
  ): Result<Allowed, Refusal> {
    const asked = this.#asked(proved, ask, account, login);
    if (!asked.ok) return asked;
    const decision = decide(this.#rules, asked.value, this.#matched(), this.#memo);
    onTests(decision.tests ?? 0);
    if (!decision.allow) return { ok: false, error: decision.refusal };
    const { minions, missing, rule, defect } = decision;
    if (defect !== undefined) return err(unusableTarget(ask.request, defect));
    return { ok: true, value: { minions, missing, rule: rule.path.join(' › ') } };
  }

  /** Whether an account may do everything, keys included. @param keyOf Whose key proves it. */
  hasFullAccess(keyOf: string): boolean {
    return this.#isFull({ claimed: keyOf, keyOf });
  }

  /** The same of an account as a grant of ours names it: root and `sudo_x` are there by the master's own key alone. */
  callerHasFullAccess(name: string): boolean {
    const isByMasterKey = name === 'root' || name.startsWith('sudo_');
    return this.#isFull({ claimed: name, keyOf: isByMasterKey ? this.masterAccount : name });
  }

  /** The ids that a target means, for a runner that asks. */
  idsOf(target: Target): Result<readonly string[], Refusal> {
    const { minions, problem } = requestTarget(this.#rules, target, this.#matched());
    return problem === undefined ? ok(minions) : err(unusableTarget(target, problem));
  }

  /** The ids that a target means when somebody reads with it who may not hear all pillar: as of peers, no pattern may guess at it. */
  idsExactly(target: Target, onTests: OnTests): Result<readonly string[], Refusal> {
    const requested = requestTarget(this.#rules, target, this.#matched());
    // Before anybody is found: whether a defect spoils a target may depend on whom it means.
    if (requested.guessesPillar) return refuse('not_permitted', 'pillar may be used in this target exactly only');
    const { minions, problem } = requested;
    onTests(requested.tests);
    return problem === undefined ? ok(minions) : err(unusableTarget(target, problem));
  }

  /**
   * Whether a minion is certainly one of a target that somebody permits; a target that is not sound permits nobody.
   *
   * @param mayMake Hears what the target's patterns take (`TargetExpr.size`) before any is made; without its leave nobody is permitted.
   * @param room What may be done about the minion's data.
   */
  certainlyIn(target: Target, id: string, mayMake: (size: number) => boolean, room: Room): boolean {
    const parsed = parseTarget(target, { nodegroups: this.#rules.nodegroups });
    if (!parsed.ok || parsed.value.problems.length > 0 || !mayMake(parsed.value.size)) return false;
    return certainlyMatches(parsed.value, this.#matched(), id, room);
  }

  #isFull(claim: AccountClaim): boolean {
    const account = authenticateAccount(this.#rules, claim);
    return account.ok && account.value.listsOf === undefined;
  }

  #asked(
    { principal, onBehalfOf }: Proved,
    { request }: SignedRequest,
    account: Result<AccountIdentity, Refusal> | undefined,
    login: LoginInfo | undefined,
  ): Result<Ask, Refusal> {
    const { what, funs, args, tgt, tgtType, options } = request;
    // Minions cannot choose one, as in Salt.
    const delimiter = principal.kind === 'minion' ? undefined : options['delimiter'];
    if (typeof delimiter === 'string' && !DELIMITER.test(delimiter))
      return refuse('bad_request', 'a delimiter has 1 to 16 characters');
    const ask: { -readonly [Name in keyof Ask]: Ask[Name] } = {
      principal,
      onBehalfOf,
      what: what === 'run' || what === 'wheel' ? what : 'job',
      funs,
      args: args.map((list) => list.map((arg) => fromPlain(arg))),
    };
    if (what === 'job') ask.target = typeof delimiter === 'string' ? { tgt, tgtType, delimiter } : { tgt, tgtType };
    if (login !== undefined) ask.login = login;
    if (principal.kind !== 'account' || account === undefined) return ok(ask);
    if (!account.ok) return account;
    ask.account = account.value;
    return ok(ask);
  }

  #matched(): Matched {
    return {
      accepted: this.roster.acceptedMinions(),
      now: () => performance.now(),
      revision: `${String(this.roster.revision)}.${String(this.inventory.revision)}`,
      dataOf: (id) => {
        const key = this.roster.keyOfMinion(id);
        return key === undefined ? undefined : this.inventory.dataOf(key, id);
      },
    };
  }
}

/** As Salt shows them: each once, texts before mappings, sorted by their text in Python. */
function permsOf(source: readonly Value[]): Value {
  if (source.length === 0) return {};
  const texts = new Set(source.filter((entry) => typeof entry === 'string'));
  const others = new Map(source.filter((entry) => typeof entry !== 'string').map((entry) => [pyRepr(entry), entry]));
  const byText = [...others].sort(([one], [other]) => (one < other ? -1 : 1));
  return [...[...texts].sort(), ...byText.map(([, entry]) => entry)];
}
