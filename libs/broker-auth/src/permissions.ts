/**
 * Who may send and hear what, as the broker enforces it: one table, which spec/broker.md shows and account JWTs carry.
 *
 * Only what is allowed is listed; the broker refuses the rest. Lists of refusals would cost it a look at each delivery.
 *
 * Spec: spec/broker.md#permissions.
 */
export const ROLE_SCOPES = ['gateway', 'acl', 'runner', 'reactor', 'sink'] as const;
export type RoleScope = (typeof ROLE_SCOPES)[number];
/** `auditor`: reads what `natriumctl audit verify` compares; `keeper`: seals values anew for `natriumctl keys rotate`. Both on the master's host. */
export type ScopeName = RoleScope | 'join' | 'knock' | 'minion' | 'account' | 'guest' | 'auditor' | 'keeper';

/** `own`: makes the bucket, writes all of it and reads it; `read`: reads only; `part`: reads, and writes below `s.<role>`. */
export type BucketAccess = 'own' | 'read' | 'part';

export interface Scope {
  readonly name: ScopeName;
  /** Below `nt.<cluster>.`, or from the root where it begins with `_` or `$`. `<fp>` is the user's own name. */
  readonly sends: readonly string[];
  readonly hears: readonly string[];
  /** How many answers may follow each question that it hears, and within how many seconds; without it none beyond `sends`. */
  readonly answers?: { readonly count: number; readonly seconds: number };
  readonly buckets: Readonly<Record<string, BucketAccess>>;
}

const INBOX = '_INBOX.<fp>.>';

export const SCOPES: readonly Scope[] = [
  { name: 'join', sends: ['hello', 'join'], hears: ['_INBOX_JOIN.>'], buckets: {} },
  // Strangers on the master's host: they hear each other's answers, so this one answer is all that they get here.
  {
    name: 'knock',
    sends: ['hello', 'usr.*.acl.guest'],
    hears: ['_INBOX_KNOCK.>'],
    buckets: {},
  },
  {
    name: 'minion',
    sends: ['hello', 'up.<fp>.>'],
    hears: [INBOX, 'job.<fp>', 'dir.*'],
    answers: { count: 1, seconds: 60 },
    buckets: {},
  },
  {
    name: 'account',
    sends: ['hello', 'usr.<fp>.>'],
    hears: [INBOX, 'dir.*'],
    buckets: {},
  },
  {
    name: 'guest',
    // Logins of external users, and what their tokens prove: nothing that an account's key would.
    sends: ['hello', 'usr.<fp>.publish', 'usr.<fp>.runner', 'usr.<fp>.acl.auth'],
    hears: [INBOX, 'dir.*'],
    buckets: {},
  },
  {
    name: 'gateway',
    // News are many for one question, and reach callers long after it: all inboxes, instead of one answer each.
    sends: [
      'hello',
      'dir.gateway',
      'job.*',
      'events.*',
      'svc.acl.grant',
      'svc.acl.again',
      'svc.acl.auth',
      'svc.acl.event',
      'svc.run.run',
      'svc.run.here.*',
      'svc.gw.here.*',
      '_INBOX.>',
    ],
    hears: [INBOX, 'dir.*', 'up.*.*', 'up.*.return.*', 'usr.*.*', 'svc.gw.*', 'svc.gw.kept.*', 'svc.gw.here.*'],
    buckets: { jobs: 'own', jobs2: 'own', jids: 'own', events: 'own', roster: 'read', announcements: 'part' },
  },
  {
    name: 'acl',
    // A joiner hears of its acceptance when somebody accepts it, from whichever replica does.
    sends: ['dir.acl', 'dir.roles', 'svc.gw.fire', '_INBOX_JOIN.>'],
    hears: [INBOX, 'dir.*', 'hello', 'join', 'up.*.acl.*', 'usr.*.acl.*', 'svc.acl.*'],
    answers: { count: 1, seconds: 60 },
    buckets: { roster: 'own', data: 'own', mine: 'own', tokens: 'own', audit: 'own', announcements: 'own' },
  },
  {
    name: 'runner',
    // A run says each second that it goes on, and may take a day; the broker forgets who may be answered with the connection that
    // heard the question: all inboxes, as for the gateway's news.
    sends: [
      'hello',
      'dir.runner',
      'svc.gw.publish',
      'svc.gw.read',
      'svc.gw.fire',
      'svc.gw.ended',
      'svc.gw.kept.*',
      'svc.acl.read',
      'svc.acl.wheel',
      'svc.run.run.*',
      '_INBOX.>',
    ],
    hears: [INBOX, 'dir.*', 'svc.run.*', 'svc.run.run.*', 'svc.run.here.*'],
    buckets: { runs: 'own', events: 'read', announcements: 'part' },
  },
  {
    name: 'reactor',
    sends: ['hello', 'dir.reactor', 'svc.gw.publish', 'svc.gw.runner'],
    hears: [INBOX, 'dir.*'],
    buckets: { announcements: 'part' },
  },
  {
    name: 'sink',
    sends: ['hello', 'dir.sink'],
    hears: [INBOX, 'dir.*'],
    buckets: { sinks: 'own', events: 'read', announcements: 'part' },
  },
  {
    name: 'auditor',
    sends: [],
    hears: [INBOX],
    buckets: { audit: 'read', jobs: 'read', jobs2: 'read', announcements: 'read' },
  },
  {
    name: 'keeper',
    sends: ['$JS.API.STREAM.LIST'],
    hears: [INBOX],
    buckets: {
      roster: 'own',
      data: 'own',
      sinks: 'own',
      mine: 'read',
      tokens: 'read',
      audit: 'read',
      jobs: 'read',
      jobs2: 'read',
      jids: 'read',
      events: 'read',
      runs: 'read',
      announcements: 'read',
    },
  },
];

/** What the broker gets: full subjects; `{{name()}}` is the user's name there. */
export interface Permissions {
  readonly pub: { readonly allow: readonly string[] };
  readonly sub: { readonly allow: readonly string[] };
  readonly resp?: { readonly max: number; readonly ttl: number };
}

const NANOSECONDS = 1e9;
/** Stores that are a stream of messages: what is written there has its subject in `sends`. */
const STREAMS = new Set(['events']);

export function permissionsOf(scope: Scope, cluster: string): Permissions {
  const full = (subject: string) =>
    (/^[_$]/.test(subject) ? subject : `nt.${cluster}.${subject}`).replaceAll('<fp>', '{{name()}}');
  const stored = Object.entries(scope.buckets).flatMap(([bucket, access]) =>
    STREAMS.has(bucket)
      ? streamSubjects(`NT_${cluster}_${bucket}`, access)
      : bucketSubjects(`NT_${cluster}_${bucket}`, access, scope.name),
  );
  const questions = stored.length === 0 ? [] : ['$JS.API.INFO'];
  const permissions = {
    pub: { allow: [...scope.sends.map(full), ...questions, ...stored] },
    sub: { allow: scope.hears.map(full) },
  };
  const { answers } = scope;
  if (answers === undefined) return permissions;
  return { ...permissions, resp: { max: answers.count, ttl: answers.seconds * NANOSECONDS } };
}

function bucketSubjects(bucket: string, access: BucketAccess, role: ScopeName): readonly string[] {
  const stream = `KV_${bucket}`;
  if (access === 'part') return [...streamSubjects(stream, 'read'), `$KV.${bucket}.s.${role}.>`];
  return [...streamSubjects(stream, access), ...(access === 'own' ? [`$KV.${bucket}.>`] : [])];
}

function streamSubjects(stream: string, access: BucketAccess): readonly string[] {
  const reads = [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.>`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.FC.${stream}.>`,
  ];
  return access === 'own' ? [...reads, `$JS.API.STREAM.CREATE.${stream}`] : reads;
}
