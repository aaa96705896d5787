/**
 * The event bus over server-sent events. The browser's own EventSource cannot send a header, and a token in the address would be
 * written into logs; so this reads the stream itself, and comes back with `Last-Event-ID` after a break.
 */
import { whenStill } from './when-still.mjs';

const FIRST_MS = 400;
const LONGEST_MS = 10_000;
/** The gateway says something each 15 s. A connection that broke without a word looks like one on which nothing happens. */
const SILENT_MS = 40_000;
/** Only who asks as an EventSource does gets ids and signs of life; everybody else gets Salt's lines. */
const STREAM = { Accept: 'text/event-stream', 'Cache-Control': 'no-cache' };

/**
 * @param api Whose session.
 * @param hear `event({tag, data})`, `state('live' | 'connecting' | 'broken' | 'silent')` and `ended()`, when the session is over.
 * @returns What ends it.
 */
export function follow(api, hear) {
  const abort = new AbortController();
  void listen(api, hear, abort.signal);
  return () => abort.abort();
}

async function listen(api, hear, signal) {
  let last;
  let wait = FIRST_MS;
  hear.state('connecting');
  while (!signal.aborted) {
    const silence = new AbortController();
    const watch = whenStill(() => silence.abort(), SILENT_MS);
    watch.heard();
    try {
      const headers = { ...STREAM, ...(last === undefined ? {} : { 'Last-Event-ID': last }) };
      const answer = await api.open('events', { signal: AbortSignal.any([signal, silence.signal]), headers });
      hear.state('live');
      wait = FIRST_MS;
      for await (const { id, event } of eventsIn(answer.body, watch.heard)) {
        last = id ?? last;
        hear.event(event);
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (cause.status === 401) {
        hear.ended();
        return;
      }
    } finally {
      watch.end();
    }
    if (signal.aborted) return;
    hear.state(silence.signal.aborted ? 'silent' : 'broken');
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_MS);
  }
}

async function* eventsIn(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const told = toldIn(block);
      if (told !== undefined) yield told;
    }
  }
}

function toldIn(block) {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  return fields.data === undefined ? undefined : { id: fields.id, event: JSON.parse(fields.data) };
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
