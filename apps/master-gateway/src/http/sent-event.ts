/** An event as its listeners get it: rendered once, however many they are. Spec: docs/http-api.md#events. */
import type { ServerResponse } from 'node:http';
import { json } from '@natrium/output';
import type { FeedEvent } from '../event-feed.js';

interface Sent {
  /** As a server-sent event, and the same as a chunk of HTTP/1.1. */
  readonly event: Buffer;
  readonly chunk: Buffer;
}

const texts = new WeakMap<FeedEvent, string>();
const sents = new WeakMap<FeedEvent, Sent>();

export function textOf(event: FeedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = json({ tag: event.tag, data: event.data }, { indent: -1, color: false });
  texts.set(event, text);
  return text;
}

/** The response would make a chunk of it for each listener anew, in four pieces: half of what an event to many costs. */
export function sendEvent(res: ServerResponse, event: FeedEvent): void {
  const { event: plain, chunk } = sentOf(event);
  // No chunks for HTTP/1.0 and HEAD; no socket yet while an earlier answer is on its way there.
  if (res.chunkedEncoding && res.socket !== null) res.socket.write(chunk);
  else res.write(plain);
}

function sentOf(event: FeedEvent): Sent {
  const known = sents.get(event);
  if (known !== undefined) return known;
  // Salt's events have a tag and data, in this order; clients that read lines take the first for the tag.
  const plain = Buffer.from(`tag: ${event.tag}\ndata: ${textOf(event)}\nid: ${event.cursor}\n\n`);
  const chunk = Buffer.concat([Buffer.from(`${plain.length.toString(16)}\r\n`), plain, Buffer.from('\r\n')]);
  const sent = { event: plain, chunk };
  sents.set(event, sent);
  return sent;
}
