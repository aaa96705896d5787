/** Access lists by themselves: `auth_check`, `spec_check`, `user_match`. */
import {
  allowsByLists,
  compileList,
  compilePolicy,
  deniedFunction,
  deniedUser,
  isModuleFunction,
  listsOfAccount,
  listsOfLogin,
  permitsJob,
  permitsSpec,
  ProblemList,
  requestTarget,
} from '@natrium/acl';
import { compileWholeMatch, parseCompoundWord } from '@natrium/matchers';
import { parseMinionId, type Plain, toPlain } from '@natrium/model';
import { type PlainMap, textOf, textsOf, valueOf } from '../corpus.js';
import { type Family, functionsOf, policyConfigOf, runArguments, targetOf } from './family.js';

const ALLOW: PlainMap = { verdict: 'allow' };
const DENY: PlainMap = { verdict: 'deny' };

export const authCheck: Family = ({ config, request }, inventory) => {
  const { policy } = compilePolicy(policyConfigOf(config));
  const list = compileList(valueOf(request['auth_list']), ['auth_list'], {
    nodegroups: policy.nodegroups,
    problems: new ProblemList(),
  });
  const { funs, args } = functionsOf(request);
  const requested = requestTarget(policy, targetOf(request), inventory);
  if (request['publish_validate'] === true && requested.guessesPillar) return DENY;
  const always = new Set(textsOf(request['whitelist']));
  const may = funs.every(
    (fun, index) => always.has(fun) || permitsJob([list], fun, args[index] ?? [], requested.covers) !== undefined,
  );
  const isNamed = funs.length > 0 && !(Array.isArray(request['fun']) && funs.includes(''));
  return may && isNamed ? ALLOW : DENY;
};

export const specCheck: Family = ({ config, request }) => {
  const { policy } = compilePolicy(policyConfigOf(config));
  const list = compileList(valueOf(request['auth_list']), ['auth_list'], {
    nodegroups: policy.nodegroups,
    problems: new ProblemList(),
  });
  const fun = textOf(request['fun']);
  const form = request['form'] === 'wheel' || request['form'] === 'cloud' ? request['form'] : 'runner';
  if (list.source.length === 0) return DENY;
  if (form !== 'cloud' && !isModuleFunction(fun)) return { ...DENY, error: 'SaltInvocationError' };
  return permitsSpec([list], { form, fun, args: runArguments(request) }) === undefined ? DENY : ALLOW;
};

export const userMatch: Family = ({ request }) => {
  const op = textOf(request['op']);
  if (op === 'acl_for_user' || op === 'eauth_list') return { auth_list: authList(request, op) };
  if (op === 'parse_target') return { parsed: parsed(textOf(request['value'])) };
  return { match: matches(request, op) };
};

/** Anything else is like nothing, and nothing like it. */
function isText(plain: Plain): plain is string {
  return typeof plain === 'string';
}

function matches(request: PlainMap, op: string): boolean {
  const { value = null, expr = null } = request;
  if (op === 'valid_id') return parseMinionId(value) !== undefined;
  if (op === 'whitelist_blacklist')
    return allowsByLists(textOf(value), valueOf(request['whitelist']), valueOf(request['blacklist']));
  if (op === 'expr_match') return isText(value) && isText(expr) && compileWholeMatch(expr).test(value);
  const { policy } = compilePolicy({ publisher_acl_blacklist: valueOf(request['blacklist']) });
  if (op === 'blacklisted_user') return typeof value === 'string' && deniedUser(policy, value) !== undefined;
  return deniedFunction(policy, typeof value === 'string' ? [value] : textsOf(value)) !== undefined;
}

function authList(request: PlainMap, op: string): Plain {
  const name = textOf(request['value']);
  const { policy } = compilePolicy(
    op === 'acl_for_user'
      ? { publisher_acl: valueOf(request['publisher_acl']) }
      : { external_auth: { any: valueOf(request['provider']) }, permissive_acl: request['permissive'] === true },
  );
  const lists =
    op === 'acl_for_user'
      ? listsOfAccount(policy, name)
      : listsOfLogin(
          policy.external.get('any') ?? [],
          { name, groups: textsOf(request['groups']) },
          policy.settings.permissiveAcl,
        );
  return lists.flatMap(({ source }) => source.map((item) => toPlain(item)));
}

function parsed(word: string): PlainMap {
  const { engine, delimiter, pattern } = parseCompoundWord(word);
  return { engine: engine ?? null, delimiter: delimiter ?? null, pattern };
}
