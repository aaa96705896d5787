/**
 * Access lists after compiling: immutable rules, each with its place in the configuration.
 *
 * Spec: spec/acl.md.
 */
import type { Value } from '@natrium/model';
import type { NodeGroups, Pattern, TargetExpr, WholeMatch } from '@natrium/matchers';

/** Place in the configuration: `['peer', '.*example.com', 2]`. The configuration's loader knows its file and line. */
export type RulePath = readonly (string | number)[];

export interface RuleRef {
  readonly path: RulePath;
}

export interface PolicyProblem extends RuleRef {
  readonly reason: string;
  readonly mend: string;
}

/** What one argument must be: null anything, undefined a pattern that can never match. */
export type ValueRule = Pattern | null | undefined;

export interface Condition {
  readonly args: readonly ValueRule[];
  readonly kwargs: readonly (readonly [string, ValueRule])[];
}

export interface FunctionRule extends RuleRef {
  /** undefined: the text is no pattern, so it never matches. */
  readonly pattern: Pattern | undefined;
  /** One of these must hold; undefined: there is no condition. */
  readonly conditions: readonly Condition[] | undefined;
}

export interface PermittedTarget extends RuleRef {
  readonly text: string;
  /** undefined: the text is no target, so no minion is inside. */
  readonly expr: TargetExpr | undefined;
}

/** What follows the `@` of an entry for runners and wheel: `runner`, `wheels`, the name of a module. */
export interface SpecRule {
  readonly word: string;
  /** undefined: everything of it. */
  readonly functions: readonly FunctionRule[] | undefined;
}

export interface Entry extends RuleRef {
  /** undefined: every target. */
  readonly target: PermittedTarget | undefined;
  readonly functions: readonly FunctionRule[];
  readonly spec: SpecRule | undefined;
}

export interface AccessList {
  readonly entries: readonly Entry[];
  /** As it stands in the configuration: what a token keeps, and whether there is anything in it at all. */
  readonly source: readonly Value[];
}

/** One key of `peer` and its kin: whom it names, what they may. */
export interface CallerRule extends RuleRef {
  readonly callers: Pattern | undefined;
  readonly list: AccessList;
}

/** One key of `publisher_acl` or of a backend. */
export interface UserRule extends RuleRef {
  readonly key: string;
  readonly users: WholeMatch;
  readonly list: AccessList;
}

/** A key ending in `%` names a group, by the name without it, which is no pattern; and no user. */
export interface LoginRule extends UserRule {
  readonly group: string | undefined;
}

/** The keys of one backend of `external_auth`, in the order of the file. */
export type Backend = readonly LoginRule[];

/** A deny list. `everyone`: a rule of it cannot be compiled, so nobody passes. */
export interface DenyList {
  readonly everyone: boolean;
  readonly rules: readonly (RuleRef & { readonly match: WholeMatch })[];
}

export interface Policy {
  readonly peer: readonly CallerRule[];
  readonly peerRun: readonly CallerRule[];
  readonly runnerGrants: readonly CallerRule[];
  readonly reactorGrants: readonly CallerRule[];
  readonly publisher: readonly UserRule[];
  readonly deniedUsers: DenyList;
  readonly deniedModules: DenyList;
  readonly external: ReadonlyMap<string, Backend>;
  readonly nodegroups: NodeGroups;
  readonly settings: Settings;
}

export interface Settings {
  readonly masterAccount: string;
  readonly sudoAcl: boolean;
  readonly clientAclVerify: boolean;
  readonly permissiveAcl: boolean;
  readonly keepAclInToken: boolean;
  readonly orderMasters: boolean;
}
