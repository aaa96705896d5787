/** Keys that a master and a minion both have. */
import * as z from 'zod/mini';
import { keyDocs, optionalPath, seconds, text, whole } from './key-doc.js';

/** How `user`, and the first account that `init` is told, may be called. */
export const ACCOUNT_NAME = /^[^\s:/]{1,256}$/;

const LOG_LEVELS = [
  'quiet',
  'critical',
  'error',
  'warning',
  'info',
  'profile',
  'debug',
  'trace',
  'garbage',
  'all',
] as const;
/** A word of a subject: no dots, no wildcards. */
const CLUSTER = /^[a-z0-9][a-z0-9_-]{0,31}$/;

const [files, broker, guests, time, logs, traces] = [
  'Files and folders',
  'Broker and cluster',
  'Your own modules',
  'Time',
  'Logs',
  'Traces',
] as const;

export const pathKeys = {
  root_dir: text().register(keyDocs, {
    group: files,
    doc: 'Where relative paths of this file start',
    takes: 'a folder',
    shown: 'the folder of this file',
    path: '',
  }),
  pki_dir: text().register(keyDocs, { group: files, doc: 'Keys', takes: 'a folder', path: 'pki' }),
  sock_dir: text().register(keyDocs, { group: files, doc: 'Unix sockets', takes: 'a folder', path: 'run' }),
  cachedir: text().register(keyDocs, { group: files, doc: 'Spool, caches, records', takes: 'a folder', path: 'cache' }),
};

/** Limits of the user's own modules and runners. */
export const guestKeys = {
  module_timeout: z._default(seconds(0.1, 3600), 60).register(keyDocs, {
    group: guests,
    doc: 'How long one call of your own module or runner may take, where it says nothing itself, in seconds',
    takes: 'seconds, 0.1 to 3600',
  }),
  module_memory: z._default(whole(64, 65_536), 512).register(keyDocs, {
    group: guests,
    doc: 'Most memory of one call of your own module or runner, in MiB',
    takes: 'MiB, 64 to 65536',
  }),
};

export const brokerKeys = {
  cluster: z._default(z.string().check(z.regex(CLUSTER)), 'main').register(keyDocs, {
    group: broker,
    doc: 'Name of the cluster, as it was when the cluster was founded; part of every subject, the same on master and minions',
    takes: 'a word of lower-case letters, digits, - and _, at most 32',
  }),
  nats_port: z._default(whole(1, 65535), 4222).register(keyDocs, {
    group: broker,
    doc: "The broker's port, where an address names none",
    takes: 'a port',
  }),
};

/** TLS to the broker: used when an address begins with `tls://`, or a CA is named. */
export const brokerTlsKeys = {
  broker_ca: optionalPath(
    broker,
    "Certificate of the CA that signed the broker's; with it, connections to the broker are TLS only",
  ),
  broker_cert: optionalPath(broker, "This host's own certificate, for a broker that asks for one"),
  broker_key: optionalPath(broker, 'The key of broker_cert'),
};

export const timeKeys = {
  clock_skew: z._default(seconds(1, 300), 30).register(keyDocs, {
    group: time,
    doc: 'How far a clock may be off before messages are refused, in seconds',
    takes: 'seconds, 1 to 300',
  }),
  epoch_hours: z._default(seconds(0.001, 720), 24).register(keyDocs, {
    group: time,
    doc: 'How often this process changes the keys of its sessions, in hours',
    takes: 'hours, up to 720',
  }),
  epoch_overlap: z._default(seconds(0, 86_400), 3600).register(keyDocs, {
    group: time,
    doc: 'How long keys of the last epoch still open messages, in seconds; never longer than an epoch',
    takes: 'seconds, up to 86400',
  }),
};

/** As Salt takes it. */
function inLowerCase(level: unknown): unknown {
  return typeof level === 'string' ? level.toLowerCase() : level;
}

export const logKeys = {
  log_level: z._default(z.pipe(z.transform(inLowerCase), z.enum(LOG_LEVELS)), 'warning').register(keyDocs, {
    group: logs,
    doc: 'How much is logged',
    takes: `one of ${LOG_LEVELS.join(', ')}`,
  }),
};

export const accountName = () => z.string().check(z.regex(ACCOUNT_NAME));

/** An account in the address would stand in logs: a collector that asks for one is told by OTEL_EXPORTER_OTLP_HEADERS. */
const COLLECTOR = /^(?:https?:\/\/[^\s@/?#]+(?:\/[^\s?#]*)?)?$/;

/** OpenTelemetry's traces; docs/operations.md#traces. */
export const traceKeys = {
  trace_endpoint: z._default(z.string().check(z.regex(COLLECTOR), z.maxLength(2048)), '').register(keyDocs, {
    group: traces,
    doc: 'Where traces of requests are sent, as OTLP over HTTP (`/v1/traces` is added); none: there are no traces',
    takes: 'http://HOST:PORT or https://…, without an account and a query',
  }),
  trace_ratio: z._default(seconds(0, 1), 1).register(keyDocs, {
    group: traces,
    doc: 'How many of the traces that begin here are sent',
    takes: 'a number, 0 to 1',
  }),
};
