/**
 * Every subject of a cluster. No id ever shows in one: `fp` is a hash of the party's identity key, base32.
 *
 * Spec: spec/wire.md#subjects.
 */
export type UpVerb = 'publish' | 'runner' | 'return' | 'event';
export type UpAclVerb = 'data' | 'mine' | 'renew' | 'succeed';
export type UsrVerb = 'publish' | 'runner';
export type UsrAclVerb = 'admin' | 'auth' | 'guest' | 'renew';

export interface Subjects {
  readonly cluster: string;
  readonly hello: string;
  readonly join: string;
  up(fp: string, verb: UpVerb): string;
  /** The answer of the gateway instance that asked is the acknowledgement. */
  upReturn(fp: string, instance: string): string;
  upAcl(fp: string, verb: UpAclVerb): string;
  usr(fp: string, verb: UsrVerb): string;
  usrAcl(fp: string, verb: UsrAclVerb): string;
  job(fp: string): string;
  svcAcl(verb: 'grant' | 'again' | 'auth' | 'read' | 'wheel' | 'event'): string;
  /** Whichever runner-service is free takes a run. */
  readonly svcRun: string;
  /** One runner-service asks another what became of a run that it took. */
  svcRunRun(instance: string): string;
  /** A gateway asks a runner-service that has fallen silent whether it is there. */
  svcRunHere(instance: string): string;
  svcGw(verb: 'publish' | 'runner' | 'read' | 'fire' | 'ended'): string;
  /** A runner-service asks whether the end of its run is kept. */
  svcGwKept(instance: string): string;
  /** One gateway asks another whether it is there. */
  svcGwHere(instance: string): string;
  dir(role: string): string;
  /** Where events are kept: one subject for each sender. */
  events(sender: string): string;
}

const TREES: ReadonlySet<string> = new Set(['up', 'usr', 'job']);
const WORD = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** @throws {RangeError} When the cluster's word could not stand in a subject. */
export function subjectsOf(cluster: string): Subjects {
  if (!WORD.test(cluster))
    throw new RangeError(`cluster ${JSON.stringify(cluster)} is not a word of a-z, 0-9, "-" and "_"`);
  const prefix = `nt.${cluster}`;
  return {
    cluster,
    hello: `${prefix}.hello`,
    join: `${prefix}.join`,
    up: (fp, verb) => `${prefix}.up.${fp}.${verb}`,
    upReturn: (fp, instance) => `${prefix}.up.${fp}.return.${instance}`,
    upAcl: (fp, verb) => `${prefix}.up.${fp}.acl.${verb}`,
    usr: (fp, verb) => `${prefix}.usr.${fp}.${verb}`,
    usrAcl: (fp, verb) => `${prefix}.usr.${fp}.acl.${verb}`,
    job: (fp) => `${prefix}.job.${fp}`,
    svcAcl: (verb) => `${prefix}.svc.acl.${verb}`,
    svcRun: `${prefix}.svc.run.run`,
    svcRunRun: (instance) => `${prefix}.svc.run.run.${instance}`,
    svcRunHere: (instance) => `${prefix}.svc.run.here.${instance}`,
    svcGwHere: (instance) => `${prefix}.svc.gw.here.${instance}`,
    svcGwKept: (instance) => `${prefix}.svc.gw.kept.${instance}`,
    svcGw: (verb) => `${prefix}.svc.gw.${verb}`,
    events: (sender) => `${prefix}.events.${sender}`,
    dir: (role) => `${prefix}.dir.${role}`,
  };
}

/** The `fp` in a subject of the `up` or `usr` tree; undefined in any other subject. */
export function fpIn(subject: string): string | undefined {
  const tree = subject.indexOf('.', subject.indexOf('.') + 1) + 1;
  const named = subject.indexOf('.', tree) + 1;
  if (tree === 0 || named === 0 || !TREES.has(subject.slice(tree, named - 1))) return undefined;
  const end = subject.indexOf('.', named);
  return end === -1 ? subject.slice(named) : subject.slice(named, end);
}

/**
 * Whether answers may go there. A sender names it in clear, and the broker asks what the one who answers may send: any other subject
 * (a place of a store) would be written to in his name.
 */
export function isInbox(subject: string | undefined): subject is string {
  return subject !== undefined && /^_INBOX(?:_[A-Z]+)?(?:\.[^.*>\s]+)+$/.test(subject);
}

/** Where somebody hears answers who is not let in yet. */
export function joinInboxOf(fp: string): string {
  return `_INBOX_JOIN.${fp}`;
}

/** The same for somebody who has no key of the cluster and asks for a guest's user of the broker. */
export function knockInboxOf(fp: string): string {
  return `_INBOX_KNOCK.${fp}`;
}

/** Where a party hears answers: one subscription, the rest of the subject says to which question. */
export function inboxOf(fp: string): string {
  return `_INBOX.${fp}`;
}
