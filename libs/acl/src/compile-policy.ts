/**
 * Compiles a configuration's access lists, once, into immutable rules.
 *
 * The service refuses to start with any problem; the replay of the corpus evaluates the well-formed rest. Nothing malformed grants.
 *
 * Spec: spec/acl.md#loading.
 */
import { readNodeGroups } from '@natrium/matchers';
import { isMap, isTrue, type Value } from '@natrium/model';
import type { ListContext } from './compile-list.js';
import { compileBackends, compileCallers, compileDenied, compileUsers } from './compile-section.js';
import type { Policy, PolicyProblem, Settings } from './policy.js';
import type { PolicyConfig } from './policy-config.js';
import { ProblemList } from './problem-list.js';

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly problems: readonly PolicyProblem[];
}

export function compilePolicy(config: PolicyConfig): CompiledPolicy {
  const problems = new ProblemList();
  const nodegroups = readNodeGroups(config.nodegroups);
  const context: ListContext = { nodegroups, problems };
  checkNodeGroups(config.nodegroups, nodegroups, problems);
  const denied = deniedLists(config.publisher_acl_blacklist, problems);
  const policy: Policy = {
    peer: compileCallers(config.peer, ['peer'], context),
    peerRun: compileCallers(config.peer_run, ['peer_run'], { ...context, onlyFunctions: true }),
    runnerGrants: compileCallers(config.runner_grants, ['runner_grants'], context),
    reactorGrants: compileCallers(config.reactor_grants, ['reactor_grants'], context),
    publisher: compileUsers(config.publisher_acl, ['publisher_acl'], context),
    ...denied,
    external: compileBackends(config.external_auth, context),
    nodegroups,
    settings: settingsOf(config, problems),
  };
  return { policy, problems: problems.found };
}

function deniedLists(raw: Value | undefined, problems: ProblemList): Pick<Policy, 'deniedUsers' | 'deniedModules'> {
  const path = ['publisher_acl_blacklist'];
  if (raw !== undefined && raw !== null && !isMap(raw)) {
    problems.add(
      path,
      'this is not a mapping; until it is mended everyone is denied',
      'write users: [...] and modules: [...]',
    );
    return { deniedUsers: { everyone: true, rules: [] }, deniedModules: { everyone: true, rules: [] } };
  }
  const lists = raw ?? {};
  for (const key of Object.keys(lists)) {
    if (key !== 'users' && key !== 'modules')
      problems.add(
        [...path, key],
        'there is no such list, so it denies nobody',
        'write users: [...] and modules: [...]',
      );
  }
  return {
    deniedUsers: compileDenied(lists['users'], [...path, 'users'], problems),
    deniedModules: compileDenied(lists['modules'], [...path, 'modules'], problems),
  };
}

function checkNodeGroups(raw: Value | undefined, groups: ReadonlyMap<string, Value>, problems: ProblemList): void {
  const isShape = raw === undefined || raw === null || isMap(raw) || Array.isArray(raw);
  if (!isShape) problems.add(['nodegroups'], 'this is not a mapping', 'write name: compound expression');
  for (const [name, definition] of groups) {
    const isWords = Array.isArray(definition) && definition.every((word) => typeof word === 'string');
    if (typeof definition !== 'string' && !isWords) {
      problems.add(['nodegroups', name], 'a node group is text or a list of texts', 'write a compound expression');
    }
  }
}

function settingsOf(config: PolicyConfig, problems: ProblemList): Settings {
  if (config.user !== undefined && typeof config.user !== 'string')
    problems.add(['user'], 'the account is text', 'put it in quotes');
  return {
    masterAccount: typeof config.user === 'string' ? config.user : 'root',
    sudoAcl: truthy(config.sudo_acl, false),
    clientAclVerify: truthy(config.client_acl_verify, true),
    permissiveAcl: truthy(config.permissive_acl, false),
    keepAclInToken: truthy(config.keep_acl_in_token, false) || hasRestBackend(config.external_auth),
    orderMasters: truthy(config.order_masters, false),
  };
}

function hasRestBackend(raw: Value | undefined): boolean {
  return isMap(raw) && Object.hasOwn(raw, 'rest');
}

function truthy(raw: Value | undefined, otherwise: boolean): boolean {
  return raw === undefined || raw === null ? otherwise : isTrue(raw);
}
