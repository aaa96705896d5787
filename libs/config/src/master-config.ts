/**
 * Every key of a master's configuration that Natrium uses: type, bounds, default, documentation. Durations say their unit.
 *
 * By default nobody may do anything: `peer`, `peer_run`, `publisher_acl` and the rest of the access lists are empty.
 *
 * Spec: docs/configuration.md, which is generated from here.
 */
import type { Value } from '@natrium/model';
import * as z from 'zod/mini';
import { accessKeys } from './access-keys.js';
import { commandKeys } from './command-keys.js';
import { type EventSink, EventSinks } from './event-sinks.js';
import { folders, keyDocs, pathMap, raw, seconds, text, textList, whole } from './key-doc.js';
import {
  accountName,
  brokerKeys,
  brokerTlsKeys,
  guestKeys,
  logKeys,
  pathKeys,
  timeKeys,
  traceKeys,
} from './shared-keys.js';

const [files, broker, jobs, keys, http] = [
  'Files and folders',
  'Broker and cluster',
  'Jobs',
  'Keys of minions',
  'HTTP API',
] as const;

const masterPaths = {
  runner_dirs: folders(files, 'Folders of your own runners'),
  pillar_roots: pathMap().register(keyDocs, {
    group: files,
    doc: 'Folders of pillar files, by environment',
    takes: 'environment: list of folders',
    path: { base: ['/srv/pillar'] },
  }),
  autosign_file: text().register(keyDocs, {
    group: keys,
    doc: 'Ids whose keys are accepted at once, one pattern a line',
    takes: 'a path',
    path: 'autosign.conf',
  }),
  autoreject_file: text().register(keyDocs, {
    group: keys,
    doc: 'Ids whose keys are rejected at once, one pattern a line',
    takes: 'a path',
    path: 'autoreject.conf',
  }),
  autosign_grains_dir: text().register(keyDocs, {
    group: keys,
    doc: 'Grain values that accept a key; one file for each grain',
    takes: 'a folder or ""',
    shown: 'none',
    path: '',
  }),
};

const masterBroker = {
  nats: z._default(textList(), ['nats://127.0.0.1:4222']).register(keyDocs, {
    group: broker,
    doc: 'Addresses of the broker; where one is tls://, the connections to all of them are TLS only',
    takes: 'a URL or a list of URLs (nats:// or tls://)',
  }),
  broker_auth: z
    ._default(z.enum(['none', 'jwt']), 'none')
    .register(keyDocs, { group: broker, doc: 'How the broker tells its users apart', takes: 'none or jwt' }),
  broker_user_hours: z._default(seconds(0.001, 8760), 24).register(keyDocs, {
    group: broker,
    doc: 'How long a user of the broker is good for, in hours; its holder renews it long before',
    takes: 'hours, up to 8760',
  }),
};

const jobKeys = {
  timeout: z._default(seconds(0.1, 86_400), 5).register(keyDocs, {
    group: jobs,
    doc: 'After how long a command asks silent minions whether they are at work, and again, in seconds, where `-t` says nothing; the HTTP API the same',
    takes: 'seconds, 0.1 to 86400',
  }),
  publish_timeout: z._default(seconds(0.1, 86_400), 5).register(keyDocs, {
    group: jobs,
    doc: "Taken as it stands, without effect: a peer's publish waits as long as its own argument `timeout` says, 5 seconds by default",
    takes: 'seconds, 0.1 to 86400',
  }),
  gather_job_timeout: z._default(seconds(0.1, 3600), 10).register(keyDocs, {
    group: jobs,
    doc: 'How long a minion that is connected and does not say whether it is at work is waited for, in seconds, by a command, the HTTP API and `manage.up` and its like; one that is not connected is not waited for',
    takes: 'seconds, 0.1 to 3600',
  }),
  grant_timeout: z._default(seconds(0.05, 60), 2).register(keyDocs, {
    group: jobs,
    doc: 'How long the gateway waits for the acl-service, in seconds; then the request is refused',
    takes: 'seconds, 0.05 to 60',
  }),
  request_rate: z._default(seconds(0, 1_000_000), 200).register(keyDocs, {
    group: jobs,
    doc: 'How many requests a second one caller may make; who makes more is told to slow down. A minion may ask as often for its mine and its next user of the broker, and send ten times as many returns and messages of events; a return whose job has to be read first counts as ten, and as one more for each 200 minions of that job; of events each KiB counts as a message, each 4 KiB of its grains, and at a change of its mine of all that it keeps there, as a request, and each 64 KiB that it reads of mines. Where a target takes more than 20,000 tests of minions (a plain glob is one test of each, a term about data four, a pattern as many as it has places where a character may stand), each 20,000 count as a request more, or each millisecond that it takes where these are more, but not of who has full access. 0 is no limit',
    takes: 'a number, 0 to 1000000',
  }),
  request_burst: z._default(whole(1, 1_000_000), 1000).register(keyDocs, {
    group: jobs,
    doc: 'How many requests of one caller may come at once',
    takes: 'a whole number, 1 to 1000000',
  }),
  runner_timeout: z._default(seconds(1, 86_400), 60).register(keyDocs, {
    group: jobs,
    doc: 'How long a runner may take, in seconds, where `-t` of natrium-run says nothing; and how long its grant is good for, where no longer time was asked for',
    takes: 'seconds, 1 to 86400',
  }),
  rest_timeout: z.optional(seconds(1, 86_400)).register(keyDocs, {
    group: jobs,
    doc: 'How long a runner or the wheel may take that the HTTP API was asked for, in seconds, where its lowstate has no `timeout`; `runner_async` and `wheel_async` have a day',
    takes: 'seconds, 1 to 86400',
    shown: '300, or runner_timeout where that is longer',
  }),
  keep_jobs: z._default(whole(1, 8760), 24).register(keyDocs, {
    group: jobs,
    doc: 'How long jobs and their returns are kept, in hours',
    takes: 'whole hours, 1 to 8760',
  }),
  keep_jobs_seconds: z.optional(whole(60, 31_536_000)).register(keyDocs, {
    group: jobs,
    doc: 'The same in seconds; counts before keep_jobs',
    takes: 'whole seconds, 60 to 31536000',
    shown: 'keep_jobs',
  }),
  keep_events: z
    ._default(whole(1, 8760), 24)
    .register(keyDocs, { group: jobs, doc: 'How long events are kept, in hours', takes: 'whole hours, 1 to 8760' }),
  keep_events_bytes: z._default(whole(67_108_864, 1_125_899_906_842_624), 8_589_934_592).register(keyDocs, {
    group: jobs,
    doc: 'How many bytes of events each node of the broker keeps at most; beyond them the oldest go before their time. So much of its `max_file` is set aside, or half, a quarter and so on where there is no room for it',
    takes: 'bytes, 67108864 to 1125899906842624',
  }),
  audit_archive_after: z._default(whole(0, 36_500), 0).register(keyDocs, {
    group: jobs,
    doc: 'After how many days `natriumctl audit archive` may move records of the audit into a file; 0: never, the audit is kept for ever',
    takes: 'whole days, 0 to 36500',
  }),
  max_event_size: z
    ._default(whole(1024, 67_108_864), 1_048_576)
    .register(keyDocs, { group: jobs, doc: 'Largest event in bytes', takes: 'bytes, 1024 to 67108864' }),
  event_sinks: z._default(EventSinks, {}).register(keyDocs, {
    group: jobs,
    doc: 'Databases, webhooks and files that the event-sink delivers events to',
    takes: 'name: {to, tags, secret_file, from}, see docs/event-bus.md',
  }),
  presence_events: z
    ._default(z.boolean(), false)
    .register(keyDocs, { group: jobs, doc: 'Fire events about minions that come and go', takes: 'yes or no' }),
  reactor: z._default(raw(), []).register(keyDocs, {
    group: jobs,
    doc: 'What events set off',
    takes: 'a list of tag: reactions, see docs/reactor.md',
  }),
  reactor_rate: z._default(whole(1, 1_000_000), 600).register(keyDocs, {
    group: jobs,
    doc: 'Most reactions of one rule in a minute',
    takes: 'a whole number, 1 to 1000000',
  }),
  reactor_depth: z._default(whole(1, 100), 3).register(keyDocs, {
    group: jobs,
    doc: 'How many reactions may come one from another',
    takes: 'a whole number, 1 to 100',
  }),
};

const minionKeys = {
  auto_accept: z
    ._default(z.boolean(), false)
    .register(keyDocs, { group: keys, doc: 'Accept every new minion; for test setups', takes: 'yes or no' }),
  open_mode: z._default(z.literal(false), false).register(keyDocs, {
    group: keys,
    doc: 'Refused: it would let anyone take the place of any minion',
    takes: 'no; for a test setup set auto_accept instead',
  }),
  autosign_timeout: z._default(whole(0, 525_600), 120).register(keyDocs, {
    group: keys,
    doc: 'How long a file in pki/minions_autosign accepts the next key of its name, in minutes; 0: for ever',
    takes: 'whole minutes, 0 to 525600',
  }),
  max_pending: z._default(whole(1, 100_000), 1000).register(keyDocs, {
    group: keys,
    doc: 'Most keys that wait, and most that are denied or rejected; further newcomers hear "full"',
    takes: 'a whole number, 1 to 100000',
  }),
  max_minions: z._default(whole(0, 100_000), 0).register(keyDocs, {
    group: keys,
    doc: 'Most accepted minions: at the limit newcomers hear "full", and no further key can be accepted; those that are accepted stay. 0 is no limit',
    takes: 'a whole number, 0 to 100000',
  }),
};

const httpKeys = {
  http_port: z._default(whole(0, 65_535), 0).register(keyDocs, {
    group: http,
    doc: "Port of the HTTP API; rest_cherrypy's counts before it; 0: there is none",
    takes: 'a port',
  }),
  http_proxies: z._default(textList(), []).register(keyDocs, {
    group: http,
    doc: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto count, beside those on the loopback: it is their clients whose failed logins are counted, and whom authorized_ips names',
    takes: 'a list of addresses, networks (10.0.0.0/8), linklocal or uniquelocal',
  }),
  rest_cherrypy: z._default(raw(), {}).register(keyDocs, {
    group: http,
    doc: "Salt's settings of the HTTP API; max_request_body_size: 0 is 64 MiB",
    takes: 'a mapping',
  }),
  netapi_enable_clients: z
    ._default(textList(), [])
    .register(keyDocs, { group: http, doc: 'Clients that the HTTP API lets in', takes: 'a list of client names' }),
};

export const MasterConfig = z.strictObject({
  ...pathKeys,
  ...masterPaths,
  ...brokerKeys,
  ...masterBroker,
  ...brokerTlsKeys,
  ...accessKeys,
  ...jobKeys,
  ...commandKeys,
  ...minionKeys,
  ...guestKeys,
  ...timeKeys,
  ...httpKeys,
  ...logKeys,
  user: z._default(accountName(), 'root').register(keyDocs, {
    group: 'Accounts',
    doc: 'The account with full access, as it was when the cluster was founded; as whom the services run, their units say',
    takes: 'an account name',
  }),
  ...traceKeys,
});
export type MasterConfig = Readonly<Omit<z.infer<typeof MasterConfig>, 'keep_jobs_seconds' | 'event_sinks'>> & {
  /** By name; paths are whole. */
  readonly event_sinks: Readonly<Record<string, EventSink>>;
  /** Set from `keep_jobs` when the file does not say it. */
  readonly keep_jobs_seconds: number;
  /** Salt's `auth.ldap.*` keys by what follows the prefix. */
  readonly auth_ldap: Readonly<Record<string, unknown>>;
  /** The same of `auth.pam.*`. */
  readonly auth_pam: Readonly<Record<string, unknown>>;
  /** SaltGUI's `saltgui_*` keys by what follows the prefix: no business of ours but to show them. */
  readonly saltgui: Readonly<Record<string, Value>>;
};
