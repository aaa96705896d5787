/**
 * `pam`: the accounts of the acl-service's host, through its own PAM stack. The password and the account's state are both
 * looked at: who is locked or has expired is refused with the right password, too.
 *
 * The stack is that of `auth.pam.service`, a file of /etc/pam.d or of where the distribution keeps its own. PAM is asked by
 * `pamtester`, which gets the password on stdin. Groups are those of the name service (`id`).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isSameName } from './account-name.js';
import { type BackEnd, BackEndFailed, BackEndInvalid, type BackEndMaker, type BackEndParts } from './back-end.js';
import { findTool, runTool, type ToolRan } from './run-tool.js';

/** Where PAM looks, the host's own first: distributions keep theirs in the other two. */
const STACKS = ['/etc/pam.d', '/usr/lib/pam.d', '/usr/etc/pam.d'];
const USUAL_SERVICE = 'login';
const SERVICE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
/** Never an option of a program; no colon, which no name of an account has. */
const ACCOUNT = /^[^\s:/\-\p{C}][^\s:/\p{C}]{0,199}$/u;
/** PAM takes no longer one (PAM_MAX_RESP_SIZE). */
const MAX_PASSWORD = 511;
/** pam_unix and pam_faildelay wait about 2 and 3 s after a wrong password, and not at all when the account is locked. */
const FAIL_STEP_MS = 5000;
/** What pamtester says after its name is PAM's own word for the reason. */
const REASON = /^pamtester: ([A-Za-z ,]{1,120})$/m;

export interface PamTools {
  readonly pamtester: string;
  readonly getent: string;
  readonly id: string;
  readonly run: (file: string, words: readonly string[], input?: string) => Promise<ToolRan>;
}

export const pam: BackEndMaker = (_, parts) => {
  const service = serviceOf(parts.config.auth_pam['service'] ?? USUAL_SERVICE);
  const [pamtester, getent, id] = [toolNamed('pamtester'), toolNamed('getent'), toolNamed('id')];
  return pamWith({ pamtester, getent, id, run: runTool }, service, parts.log);
};

export function pamWith(tools: PamTools, service: string, log: BackEndParts['log']): BackEnd {
  return {
    failStepMs: FAIL_STEP_MS,
    authenticate: async ({ username, secret }) => {
      if (!ACCOUNT.test(username) || !isPassword(secret)) return undefined;
      const asked = [service, username, 'authenticate', 'acct_mgmt'];
      const { code, stdout, stderr } = await tools.run(tools.pamtester, asked, `${secret}\n`);
      if (code !== 0) {
        const [, why = 'it gave no reason'] = REASON.exec(stderr) ?? REASON.exec(stdout) ?? [];
        log.info({ eauth: 'pam', user: username, service, why }, 'PAM refused a login');
        return undefined;
      }
      const name = await accountNamed(username, tools);
      return name === undefined ? undefined : { name, groups: await groupsOf(name, tools) };
    },
  };
}

/** The account's own spelling: some name services take a name in any case. For a number `getent` answers with whose uid it is. */
async function accountNamed(username: string, { getent, run }: PamTools): Promise<string | undefined> {
  const { code, stdout } = await run(getent, ['passwd', '--', username]);
  const [name = ''] = stdout.split(':');
  return code === 0 && ACCOUNT.test(name) && isSameName(name, username) ? name : undefined;
}

async function groupsOf(name: string, { id, run }: PamTools): Promise<readonly string[]> {
  const { code, stdout } = await run(id, ['-Gnz', '--', name]);
  const groups = stdout.split('\0').filter((group) => group !== '');
  if (code === 0) return groups;
  // It failed over a group without a name, and tells its number there: none, so that no rule for a name means it.
  const numbers = (await run(id, ['-Gz', '--', name])).stdout.split('\0').filter((number) => number !== '');
  if (groups.length === 0 || numbers.length !== groups.length)
    throw new BackEndFailed('id did not tell the groups of an account');
  return groups.filter((group, at) => group !== numbers[at]);
}

/** An empty one never proves anybody, whatever `nullok` says; what is after a line's end would not be looked at. */
function isPassword(secret: string): boolean {
  return secret !== '' && Buffer.byteLength(secret) <= MAX_PASSWORD && !/[\0\r\n]/.test(secret);
}

/** PAM would take another stack (`other`) for one that is not there. */
export function serviceOf(service: unknown, folders: readonly string[] = STACKS): string {
  const isName = typeof service === 'string' && SERVICE.test(service);
  if (isName && folders.some((folder) => existsSync(join(folder, service)))) return service;
  const named = `there is no '${String(service)}'; auth.pam.service names a file of ${folders.join(', ')}`;
  throw new BackEndInvalid(`external_auth.pam: ${named}`);
}

function toolNamed(name: string): string {
  const found = findTool(name);
  if (found === undefined) {
    throw new BackEndInvalid(`external_auth.pam: the program ${name} is missing on this host; install its package`);
  }
  return found;
}
