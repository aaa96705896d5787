/** What the parties of one order are to each other: each of their files can be read with this one alone. */
import type { ActiveJobs, News, Returned, SignedRequest } from '@natrium/flow';
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import type { Process } from './virtual-time.js';

/** Who asks the store. */
export interface Reached extends Process {
  readonly instance: string;
  /** Until when nothing reaches it; in the past where all does. */
  readonly cutUntil: number;
}

/** What a dead process is answered. */
export const NEVER = new Promise<never>(() => undefined);

/** The jobs' store of a gateway. */
export type CacheOf = (...given: ConstructorParameters<typeof JobCache>) => JobCache;

export type Hear = (news: News) => void;

export interface AnyGateway extends Reached {
  cutUntil: number;
  standsUntil: number;
  readonly isUp: boolean;
  /** The place of each job that it has sent out, by jid. */
  readonly sent: Map<string, string>;
  readonly parts: { readonly jobs: Pick<ActiveJobs, 'all'> };
  die(): void;
  /** A caller's question, as it arrives. */
  handle(ask: SignedRequest, follow: 'all' | 'jid', hear?: Hear): void;
  /** @returns Whether the minion may forget its return. */
  take(said: Returned, key: string): Promise<boolean>;
  /** Another gateway has stored this return. */
  hearStored(jid: string, id: string): void;
}

export interface Run {
  readonly jid: string;
  readonly digest: string;
}

export interface AnyMinion {
  readonly id: string;
  /** Of its identity, hexadecimal. */
  readonly key: string;
  readonly ran: readonly Run[];
  isRunning(digest: string): boolean;
  /** A job that a gateway has sent. */
  hear(from: AnyGateway, jid: string, digest: string): void;
}
