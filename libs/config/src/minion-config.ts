/**
 * Every key of a minion's configuration that Natrium uses: type, bounds, default, documentation.
 *
 * Spec: docs/configuration.md, which is generated from here.
 */
import { Float, pyStr } from '@natrium/model';
import * as z from 'zod/mini';
import { folders, keyDocs, raw, seconds, text, textList, whole } from './key-doc.js';
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

const [broker, identity, modules] = ['Broker and cluster', 'Identity', 'Modules and data'] as const;
const [events, spool] = ['Events', 'Spool'] as const;

/** As Salt knows them. */
const HASH_TYPES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;

const identityKeys = {
  id: z
    .optional(
      z.pipe(
        z.transform((value) => (typeof value === 'number' || value instanceof Float ? pyStr(value) : value)),
        text(255),
      ),
    )
    .register(keyDocs, {
      group: identity,
      doc: "The minion's name",
      takes: 'a name of 1 to 255 characters without slashes',
      shown: 'the content of minion_id, or the full host name at the first start',
    }),
  master_finger: z._default(text(256), '').register(keyDocs, {
    group: identity,
    doc: "Fingerprint of the cluster's root key; a master with another one is refused",
    takes: '32 pairs of hex digits with colons, as natriumctl fingerprint prints them',
  }),
  trust_on_first_use: z._default(z.boolean(), false).register(keyDocs, {
    group: identity,
    doc: 'Without master_finger, pin the first root key that answers',
    takes: 'yes or no',
  }),
  autosign_grains: z._default(textList(), []).register(keyDocs, {
    group: identity,
    doc: 'Grains that a join shows, for autosign_grains_dir',
    takes: 'a list of grain names',
  }),
};

const minionBroker = {
  master: z._default(textList(), []).register(keyDocs, {
    group: broker,
    doc: 'Hosts where the broker runs, used when nats is not given',
    takes: 'a host or a list of hosts',
  }),
  nats: z._default(textList(), []).register(keyDocs, {
    group: broker,
    doc: 'Addresses of the broker; where one is tls://, the connections to all of them are TLS only',
    takes: 'a URL or a list of URLs (nats:// or tls://)',
    shown: 'from master, or `nats://127.0.0.1:4222`',
  }),
  join_creds: text().register(keyDocs, {
    group: broker,
    doc: 'Credentials to join with, a copy of pki/broker/join.creds of the master; without the file the broker asks for none',
    takes: 'a path',
    path: 'pki/join.creds',
  }),
};

const moduleKeys = {
  module_dirs: folders(modules, 'Folders of your own execution modules'),
  returner_dirs: folders(modules, 'Folders of your own returners'),
  grains: z
    ._default(z.record(z.string(), raw()), {})
    .register(keyDocs, { group: modules, doc: 'Grains set by hand', takes: 'a mapping' }),
  mine_functions: z._default(raw(), {}).register(keyDocs, {
    group: modules,
    doc: 'Functions whose results go to the mine',
    takes: 'function: arguments, or a list',
  }),
  mine_enabled: z._default(z.boolean(), true).register(keyDocs, {
    group: modules,
    doc: 'Whether mine_functions run at the start and every mine_interval; mine.update runs them all the same',
    takes: 'yes or no',
  }),
  mine_interval: z._default(whole(1, 43_200), 60).register(keyDocs, {
    group: modules,
    doc: 'How often mine_functions run, in minutes',
    takes: 'whole minutes, 1 to 43200',
  }),
  disable_modules: z._default(textList(), []).register(keyDocs, {
    group: modules,
    doc: "Execution modules that do not load, your own too; also by the names of Salt's files, such as cmdmod",
    takes: 'a list of module names',
  }),
  whitelist_modules: z._default(textList(), []).register(keyDocs, {
    group: modules,
    doc: 'The only execution modules that load, less those of disable_modules, in the same words; none: all load',
    takes: 'a list of module names',
  }),
  cmd_blacklist_glob: z._default(textList(), []).register(keyDocs, {
    group: modules,
    doc: 'Commands that cmd.* does not run; where there are none here, those of the grains or else of the pillar count',
    takes: 'a list of globs over the whole command',
  }),
  cmd_whitelist_glob: z._default(textList(), []).register(keyDocs, {
    group: modules,
    doc: 'The only commands that cmd.* runs, less those of cmd_blacklist_glob, looked for in the same places; none: all',
    takes: 'a list of globs over the whole command',
  }),
  local_file: text().register(keyDocs, {
    group: modules,
    doc: 'Where the returner local_file writes each return, as one line of JSON',
    takes: 'a file',
    path: 'cache/returns.jsonl',
  }),
  multi_returner: z._default(textList(), []).register(keyDocs, {
    group: modules,
    doc: 'Returners that the returner multi hands each return to',
    takes: 'a list of names, without multi and master_bus',
  }),
  webhook_url: z._default(text(), '').register(keyDocs, {
    group: modules,
    doc: 'Where the returner webhook posts each return',
    takes: 'https://…, or http:// on this host',
  }),
  webhook_secret_file: text().register(keyDocs, {
    group: modules,
    doc: 'The key that signs what the returner webhook posts, as whsec_ and base64',
    takes: 'a file',
    path: 'pki/webhook.secret',
  }),
  timeout: z._default(seconds(0.1, 86_400), 5).register(keyDocs, {
    group: modules,
    doc: 'Taken as it stands, without effect: a publish waits as long as its own argument `timeout` says, 5 seconds by default',
    takes: 'seconds, 0.1 to 86400',
  }),
};

const eventKeys = {
  max_event_size: z._default(whole(1024, 67_108_864), 1_048_576).register(keyDocs, {
    group: events,
    doc: "Largest event of this host's bus in bytes; one that goes to the master has at most 4194304",
    takes: 'bytes, 1024 to 67108864',
  }),
  hash_type: z._default(z.enum(HASH_TYPES), 'sha256').register(keyDocs, {
    group: events,
    doc: "Which hash of the minion's id names Salt's own sockets in sock_dir, where Salt's event library looks for them",
    takes: HASH_TYPES.join(', '),
  }),
};

const spoolKeys = {
  keep_returns: z._default(whole(1, 8760), 24).register(keyDocs, {
    group: spool,
    doc: 'How long a return that no gateway has stored is kept, in hours; then it is dropped',
    takes: 'whole hours, 1 to 8760',
  }),
  spool_max_bytes: z._default(whole(1_048_576, 268_435_456), 268_435_456).register(keyDocs, {
    group: spool,
    doc: 'Most bytes that wait in the spool: half for returns, of which the oldest are dropped, half for events, of which new ones are refused. Each of its two files is written anew when it is larger than 4 MiB and less than half of it waits',
    takes: 'bytes, 1048576 to 268435456',
  }),
  spool_max_events: z._default(whole(1, 100_000_000), 100_000).register(keyDocs, {
    group: spool,
    doc: 'Most events in the spool; a marker says how many were dropped',
    takes: 'a whole number',
  }),
};

export const MinionConfig = z.strictObject({
  ...identityKeys,
  ...pathKeys,
  ...brokerKeys,
  ...minionBroker,
  ...brokerTlsKeys,
  ...moduleKeys,
  ...eventKeys,
  ...spoolKeys,
  ...guestKeys,
  ...timeKeys,
  ...logKeys,
  user: z.optional(accountName()).register(keyDocs, {
    group: 'Accounts',
    doc: 'The account that the agent runs as, and with it all that it is asked to run. Its unit says that (`User=`): the agent changes to no other, and does not start where this names another',
    takes: 'an account name',
    shown: 'whoever starts it',
  }),
  ...traceKeys,
});
export type MinionConfig = Readonly<Omit<z.infer<typeof MinionConfig>, 'id'>> & { readonly id: string };
