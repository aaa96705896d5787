/** Every back end by its name in `external_auth`, and those of a configuration, made once for each. */
import { BACK_ENDS, type BackEndName, isBackEnd } from '@natrium/acl';
import type { MasterConfig } from '@natrium/config';
import { isMap, messageOf, type ValueMap } from '@natrium/model';
import { auto } from './auto.js';
import type { BackEnd, BackEndMaker, BackEndParts } from './back-end.js';
import { file } from './file.js';
import { ldap } from './ldap.js';
import { pam } from './pam.js';
import { sharedSecret } from './shared-secret.js';

const MAKERS: Readonly<Record<BackEndName, BackEndMaker>> = { auto, file, ldap, pam, sharedsecret: sharedSecret };

/** The back ends that a configuration names and that can work. The log hears why one cannot. */
export function backEndsOf(config: MasterConfig, log: BackEndParts['log']): ReadonlyMap<string, BackEnd> {
  const backEnds = new Map<string, BackEnd>();
  if (!isMap(config.external_auth)) return backEnds;
  for (const [name, section] of Object.entries(config.external_auth)) {
    if (!isBackEnd(name)) {
      log.error(`external_auth.${name}: there is no such back end; there are ${BACK_ENDS.join(', ')}`);
      continue;
    }
    try {
      backEnds.set(name, MAKERS[name](isMap(section) ? settingsIn(section) : {}, { config, log }));
    } catch (error) {
      log.error(messageOf(error));
    }
  }
  return backEnds;
}

function settingsIn(section: ValueMap): ValueMap {
  const own = Object.entries(section).filter(([key]) => key.startsWith('^'));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(1), value]));
}
