/**
 * `auto`: everybody is who they say, without a password. For development; the configuration refuses it unless
 * `eauth_auto_for_development` says so too.
 */
import { type BackEnd, BackEndInvalid, type BackEndMaker } from './back-end.js';

export const auto: BackEndMaker = (_, { config, log }): BackEnd => {
  if (!config.eauth_auto_for_development) throw new BackEndInvalid('external_auth.auto: for development only');
  log.warn('external_auth.auto lets everyone in under any name, without a password; never in production');
  return { asksNoSecret: true, authenticate: ({ username }) => Promise.resolve({ name: username, groups: [] }) };
};
