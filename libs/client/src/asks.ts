/** What can be asked of the master, and who asks. */
import type { SealedBus } from '@natrium/bus';
import type { SigningKey } from '@natrium/envelope';
import type { Value, ValueMap } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { Link } from './connect.js';

export interface TargetAsk {
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  readonly delimiter?: string;
}

export interface JobAsk extends TargetAsk {
  readonly funs: readonly string[];
  /** One list for each function. */
  readonly args: readonly (readonly Value[])[];
  /** Seconds; how long to wait for a minion that is working. */
  readonly timeout: number;
  /** Empty: none. */
  readonly returner: string;
  readonly returnerOptions: ValueMap;
  readonly options: ValueMap;
}

export interface RunAsk {
  readonly fun: string;
  readonly args: readonly Value[];
  /** Seconds. */
  readonly timeout: number;
}

export interface RunAnswer {
  readonly jid: string;
  readonly ret: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out?: string;
}

export interface LoginAsk {
  readonly what: 'login' | 'check' | 'logout';
  readonly eauth?: string;
  readonly username?: string;
  readonly secret?: string;
  /** To look at, or to end. */
  readonly token?: string;
}

export interface LoggedIn {
  /** Of a login only. */
  readonly token: string;
  readonly name: string;
  readonly eauth: string;
}

/** `all`: every return and the end; `jid`: only the start; `preview`: who is meant, and nothing is sent. */
export type Follow = 'all' | 'jid' | 'preview';

/** Who asks: with which key, on which subjects, and for a running runner with its grant-run. */
export interface Asker {
  readonly bus: SealedBus;
  readonly signing: SigningKey;
  readonly subjects: Readonly<Record<'publish' | 'runner' | 'admin' | 'auth', string>>;
  readonly grantRun: Body<typeof contracts.publish>['grantRun'];
  /** The token of an external user, which stands beside each job and run in place of a signature. */
  readonly token?: string;
  /** Options that each job and run of this asker carries, such as the account that it claims to be (`as`). */
  readonly claims?: ValueMap;
  /** How long a request waits where the broker says that no gateway is there, in milliseconds; two seconds unless it is said. */
  readonly backMs?: number;
}

/**
 * An identity asks: a minion on its `up` subjects, an account on its `usr` subjects.
 *
 * What the link is at that moment is asked each time: a minion may have another identity by then.
 */
export function identityAsker(link: Link, tree: 'up' | 'usr'): Asker {
  const at = (verb: 'publish' | 'runner') =>
    tree === 'up' ? link.subjects.up(link.own.fp, verb) : link.subjects.usr(link.own.fp, verb);
  return {
    get bus() {
      return link.bus;
    },
    get signing() {
      return link.identity.signing;
    },
    get subjects() {
      const { subjects, own } = link;
      return {
        publish: at('publish'),
        runner: at('runner'),
        admin: subjects.usrAcl(own.fp, 'admin'),
        auth: subjects.usrAcl(own.fp, 'auth'),
      };
    },
    grantRun: null,
  };
}
