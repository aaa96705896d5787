/**
 * `event_sinks`: where events go, by the name of the sink. What `to` begins with says what kind of destination it is.
 *
 * What leaves the cluster leaves its encryption: beyond this host a destination is reached by TLS or not at all, and no secret
 * stands in the file itself.
 *
 * Spec: docs/event-bus.md#sinks.
 */
import { resolve } from 'node:path';
import { compileGlob } from '@natrium/matchers';
import * as z from 'zod/mini';
import { text, textList } from './key-doc.js';
import type { ConfigProblem } from './problem.js';

/** It is a part of a key in a bucket, and a label of metrics. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export const EventSink = z.strictObject({
  to: text(),
  secret_file: z._default(text(), ''),
  tags: z._default(textList(), ['*']),
  from: z._default(z.enum(['now', 'start']), 'now'),
});
export type EventSink = Readonly<z.infer<typeof EventSink>>;

export const EventSinks = z.record(z.string().check(z.regex(NAME)), EventSink);

export type SinkKind = 'postgresql' | 'webhook' | 'file';

export function sinkKind({ to }: Pick<EventSink, 'to'>): SinkKind {
  if (/^postgres(?:ql)?:\/\//.test(to)) return 'postgresql';
  return /^https?:\/\//.test(to) ? 'webhook' : 'file';
}

/** Relative paths start at `root_dir`, as all of the file. */
export function withSinkPaths(
  sinks: Readonly<Record<string, EventSink>>,
  root: string,
): Readonly<Record<string, EventSink>> {
  const resolved = Object.entries(sinks).map(([name, sink]) => {
    const to = sinkKind(sink) === 'file' ? resolve(root, sink.to) : sink.to;
    return [
      name,
      { ...sink, to, secret_file: sink.secret_file === '' ? '' : resolve(root, sink.secret_file) },
    ] as const;
  });
  return Object.fromEntries(resolved);
}

type Problem = Omit<ConfigProblem, 'file'>;

/** What is wrong with destinations, beyond what the schema sees. */
export function sinkProblems(sinks: Readonly<Record<string, EventSink>>, root: string): readonly Problem[] {
  const entries = Object.entries(sinks);
  return entries.flatMap(([name, sink], index) => {
    const said = addressProblem(sink) ?? secretProblem(sink) ?? sharedProblem(sink, entries.slice(0, index), root);
    return [
      ...(said === undefined ? [] : [{ path: ['event_sinks', name, said.key], reason: said.reason, mend: said.mend }]),
      ...sink.tags.flatMap((tag) => tagProblem(name, tag)),
    ];
  });
}

interface Said {
  readonly key: 'to' | 'secret_file';
  readonly reason: string;
  readonly mend: string;
}

function addressProblem(sink: EventSink): Said | undefined {
  const kind = sinkKind(sink);
  if (kind === 'file') {
    if (sink.to !== '' && !sink.to.includes('://')) return undefined;
    return { key: 'to', reason: 'this is no destination', mend: 'it takes postgresql://…, https://… or a file' };
  }
  return kind === 'webhook' ? webhookProblem(sink.to) : databaseProblem(sink.to);
}

/** Why a webhook is not posted to this address. */
export function webhookProblem(address: string): Said | undefined {
  const url = urlOf(address);
  if (url === undefined) return notUrl;
  if (url.password !== '' || url.username !== '') return inAddress;
  if (url.protocol === 'https:' || isThisHost(url.hostname)) return undefined;
  const mend = 'use https://, or a proxy on this host that speaks it';
  return { key: 'to', reason: 'events would leave this host in clear', mend };
}

function databaseProblem(address: string): Said | undefined {
  const url = urlOf(address);
  if (url === undefined) return notUrl;
  if (url.password !== '' || url.searchParams.has('password')) return inAddress;
  // As the library reads them: of several the last counts, and an empty host is none.
  const last = (name: string) => url.searchParams.getAll(name).at(-1) ?? '';
  const host = last('host') || url.hostname;
  if (host.startsWith('/') || isThisHost(host) || last('sslmode') === 'verify-full') return undefined;
  const mend = 'add ?sslmode=verify-full, and &sslrootcert=FILE for an authority of your own';
  return { key: 'to', reason: 'events would leave this host in clear, or to whoever answers there', mend };
}

const notUrl: Said = { key: 'to', reason: 'this is no URL', mend: 'it takes postgresql://… or https://…' };
const inAddress: Said = { key: 'to', reason: 'a secret stands in the address', mend: 'put it into secret_file' };

function secretProblem(sink: EventSink): Said | undefined {
  const kind = sinkKind(sink);
  if (kind === 'webhook' && sink.secret_file === '')
    return { key: 'secret_file', reason: 'a webhook needs the key that signs', mend: 'name its file' };
  if (kind === 'file' && sink.secret_file !== '')
    return { key: 'secret_file', reason: 'a file needs no secret', mend: 'remove it' };
  return undefined;
}

/** Each cuts off what looks like a torn line to it, which may be what the other one is writing. */
function sharedProblem(
  sink: EventSink,
  before: readonly (readonly [string, EventSink])[],
  root: string,
): Said | undefined {
  const path = resolve(root, sink.to);
  const other = before.find(([, one]) => sinkKind(one) === 'file' && resolve(root, one.to) === path);
  if (sinkKind(sink) !== 'file' || other === undefined) return undefined;
  const mend = 'give each its own, or make them one sink with the tags of both';
  return { key: 'to', reason: `the sink ${other[0]} writes to this file already`, mend };
}

function tagProblem(name: string, tag: string): readonly Problem[] {
  const glob = compileGlob(tag);
  if (glob.ok) return [];
  const mend = 'it takes a glob, as monitoring/*';
  return [{ path: ['event_sinks', name, 'tags'], reason: `${tag} is no glob: ${glob.error.reason}`, mend }];
}

function urlOf(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

function isThisHost(name: string): boolean {
  return name === '' || name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
