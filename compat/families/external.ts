/** `external_auth` by its evaluator, with the case's `directory` as the backend behind every configured name. */
import {
  type Ask,
  blacklistDecision,
  checkToken,
  compilePolicy,
  decide,
  makeToken,
  type Policy,
  type TokenRecord,
} from '@natrium/acl';
import { err, ok, type Principal, refusal, type Refusal, type Result } from '@natrium/model';
import { type Case, mapOf, type PlainMap, textOf, textsOf } from '../corpus.js';
import { allowed, commandOf, type Credential, deny } from './errors.js';
import { type Family, functionsOf, policyConfigOf, runArguments, targetOf } from './family.js';

const NOW = 1_000_000;

interface Proved {
  readonly principal: Principal;
  readonly login: NonNullable<Ask['login']>;
}

export const externalAuth: Family = (one, inventory) => {
  const { policy } = compilePolicy(policyConfigOf(one.config));
  const what = commandOf(one.request['command']);
  const credential = credentialOf(one.request);
  const issued = credential === 'token' ? issue(one) : undefined;
  if (issued !== undefined && !issued.ok) return { verdict: 'deny', error: 'token-not-issued' };
  const early = blacklistDecision(policy, askFor(one, what, { principal: claimedBy(one, credential) }));
  if (early !== undefined && !early.allow) return deny(early.refusal, what, credential);
  const proved = issued === undefined ? logIn(policy, one, one.request) : redeem(policy, one, issued.value);
  if (!proved.ok) return deny(proved.error, what, credential);
  const decision = decide(policy, askFor(one, what, proved.value), inventory);
  if (!decision.allow) return deny(decision.refusal, what, credential);
  return allowed(decision, what, proved.value.principal.name, policy.settings.orderMasters);
};

/** A token wins over a login, and a login over the local account. */
function credentialOf(request: PlainMap): Credential {
  if (request['token'] !== undefined) return 'token';
  return request['eauth'] === undefined ? 'user' : 'eauth';
}

function claimedBy({ request }: Case, credential: Credential): Principal {
  const from = credential === 'token' ? mapOf(request['token']) : request;
  return credential === 'token'
    ? { kind: 'token', name: textOf(from['username']) }
    : { kind: 'external', name: textOf(from['username']) };
}

function askFor(
  { request }: Case,
  what: Ask['what'],
  who: { readonly principal: Principal; readonly login?: Proved['login'] },
): Ask {
  if (what === 'job') return { ...who, what, ...functionsOf(request), target: targetOf(request) };
  return { ...who, what, funs: [textOf(request['fun'])], args: [runArguments(request)] };
}

/** The test backend: a user is there, and the password is the one of the directory. */
function logIn(policy: Policy, { directory }: Case, from: PlainMap): Result<Proved, Refusal> {
  const { eauth, username, password } = from;
  const isKnown = typeof username === 'string' && Object.hasOwn(directory, username);
  const entry = isKnown ? mapOf(directory[username]) : {};
  const isConfigured = typeof eauth === 'string' && policy.external.has(eauth);
  if (!isKnown || !isConfigured || typeof password !== 'string' || entry['password'] !== password)
    return err(refusal('bad_credential', 'the login was refused'));
  return ok({
    principal: { kind: 'external', name: username },
    login: { backend: eauth, groups: textsOf(entry['groups']) },
  });
}

function issue(one: Case): Result<TokenRecord, Refusal> {
  const token = mapOf(one.request['token']);
  const then = token['issued_with_external_auth'] ?? one.config['external_auth'] ?? null;
  const { policy } = compilePolicy({ ...policyConfigOf({ ...one.config, external_auth: then }) });
  const proved = logIn(policy, one, token);
  if (!proved.ok) return proved;
  const { principal, login } = proved.value;
  return ok(
    makeToken(policy, {
      backend: login.backend,
      login: { name: principal.name, groups: login.groups },
      expires: NOW + 1,
    }),
  );
}

function redeem(policy: Policy, { request }: Case, record: TokenRecord): Result<Proved, Refusal> {
  const state = mapOf(request['token'])['state'] ?? 'valid';
  const found =
    state === 'no-expire'
      ? { ...record, expires: undefined }
      : state === 'unknown' || state === 'traversal'
        ? undefined
        : record;
  const checked = checkToken(policy, found, state === 'expired' ? NOW + 2 : NOW);
  if (!checked.ok) return checked;
  const { name, groups, backend, list } = checked.value;
  return ok({
    principal: { kind: 'token', name },
    login: { backend, groups, ...(list === undefined ? {} : { ownList: list }) },
  });
}
