/** An event as its listeners get it: rendered once, however many they are. Spec: docs/http-api.md#events. */
import type { ServerResponse } from 'node:http';
import { plainJson } from '@natrium/output';
import type { FeedEvent } from '../event-feed.js';

interface Sent {
  /** As a server-sent event: its tag, and the rest. */
  readonly parts: readonly Buffer[];
  /** The same, each part a chunk of HTTP/1.1. */
  readonly chunks: Buffer;
}

/** Whether an event carries its place, for those who come back with `Last-Event-ID`. */
export type EventForm = 'plain' | 'with id';

const END_OF_CHUNK = Buffer.from('\r\n');

const texts = new WeakMap<FeedEvent, string>();
const sents = { plain: new WeakMap<FeedEvent, Sent>(), 'with id': new WeakMap<FeedEvent, Sent>() };

export function textOf(event: FeedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = plainJson({ tag: event.tag, data: event.data });
  texts.set(event, text);
  return text;
}

/** The response would make a chunk of it for each listener anew, in four pieces: half of what an event to many costs. */
export function sendEvent(res: ServerResponse, event: FeedEvent, form: EventForm): void {
  const { parts, chunks } = sentOf(event, form);
  // No chunks for HTTP/1.0 and HEAD; no socket yet while an earlier answer is on its way there.
  if (!res.chunkedEncoding || res.socket === null) {
    for (const part of parts) res.write(part);
    return;
  }
  // Node 26 holds what the response was given in this turn, its head too, to make one chunk of it: that leaves before.
  const isHeld = res.writableCorked > 0;
  if (isHeld) res.uncork();
  res.socket.write(chunks);
  if (isHeld) res.cork();
}

function sentOf(event: FeedEvent, form: EventForm): Sent {
  const known = sents[form].get(event);
  if (known !== undefined) return known;
  const id = form === 'plain' ? '' : `id: ${event.cursor}\n`;
  // Salt's events have a tag and data, in this order and each in a chunk of its own: there are clients that read one line of each chunk.
  const parts = [`tag: ${event.tag}\n`, `data: ${textOf(event)}\n${id}\n`].map((part) => Buffer.from(part));
  const sent = { parts, chunks: Buffer.concat(parts.flatMap(chunkOf)) };
  sents[form].set(event, sent);
  return sent;
}

function chunkOf(part: Buffer): readonly Buffer[] {
  return [Buffer.from(`${part.length.toString(16)}\r\n`), part, END_OF_CHUNK];
}
