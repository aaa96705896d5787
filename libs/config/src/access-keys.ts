/**
 * The access lists of a master: kept as they were read. `libs/acl` compiles them and reports problems by path, because only
 * it knows what a rule means.
 */
import * as z from 'zod/mini';
import { keyDocs, raw, whole } from './key-doc.js';

const group = 'Access control';
const RULES = 'a mapping, see docs/access-control.md';

const list = (doc: string) => z._default(raw(), {}).register(keyDocs, { group, doc, takes: RULES });
const flag = (value: boolean, doc: string) =>
  z._default(z.boolean(), value).register(keyDocs, { group, doc, takes: 'yes or no' });

export const accessKeys = {
  peer: list('What minions may publish, by caller'),
  peer_run: list('Which runners minions may run, by caller'),
  publisher_acl: list('What local accounts may run'),
  publisher_acl_blacklist: list('Accounts and functions that are always refused'),
  external_auth: list('What external users and groups may run, by backend'),
  nodegroups: list('Named targets'),
  runner_grants: list('What runners may publish'),
  reactor_grants: list('What the reactor may run'),
  event_acl: list('Who may read and fire which events on the local bus'),
  sudo_acl: flag(false, 'sudo_<name> has the list of <name>, not full access'),
  client_acl_verify: flag(true, 'Accounts of publisher_acl must exist on this host'),
  permissive_acl: flag(false, 'In external_auth, * counts for everyone, not only for those without a rule'),
  keep_acl_in_token: flag(false, 'A token keeps the list of its login'),
  order_masters: flag(false, 'A command whose target nobody matches is passed on to lower masters'),
  minion_data_cache: flag(true, 'Has no effect: data is always cached, and a missing cache never widens a rule'),
  token_expire: z
    ._default(whole(1, 315_360_000), 43_200)
    .register(keyDocs, { group, doc: 'Lifetime of a token in seconds', takes: 'whole seconds, 1 to 315360000' }),
  token_expire_user_override: z._default(raw(), false).register(keyDocs, {
    group,
    doc: 'Who may choose the lifetime of a token',
    takes: 'yes, no, or backend: list of users',
  }),
  sharedsecret: z._default(z.string().check(z.maxLength(4096)), '').register(keyDocs, {
    group,
    doc: 'The secret that proves any user of external_auth.sharedsecret',
    takes: 'a long random text',
  }),
  eauth_auto_for_development: flag(false, 'Lets external_auth.auto in, which asks nobody for a password'),
  eauth_acl_module: z._default(z.string().check(z.maxLength(64)), '').register(keyDocs, {
    group,
    doc: 'Has no effect: the lists of external_auth always count',
    takes: 'a backend name',
  }),
};

/** Keys of these hold rules: a key that YAML does not read as text would mean something else than it says. */
export const RULE_KEYS: ReadonlySet<string> = new Set([
  'peer',
  'peer_run',
  'publisher_acl',
  'publisher_acl_blacklist',
  'external_auth',
  'runner_grants',
  'reactor_grants',
  'event_acl',
]);
