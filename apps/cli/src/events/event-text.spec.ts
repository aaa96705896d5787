import type { BusEvent } from '@natrium/events';
import { eventText } from './event-text.js';

const HOSTILE = '\u009b2J\u001b[2J\u007f';

function event(tag: string, data: BusEvent['data']): BusEvent {
  return { tag, data, stamp: '2026-01-02T03:04:05.000006' } as BusEvent;
}

describe('an event', () => {
  it('is its tag, a tab, and JSON as Python writes it', () => {
    expect(eventText(event('a/b', { z: [1, 'x'], a: null }), false)).toBe(
      'a/b\t{"z": [1, "x"], "a": null, "_stamp": "2026-01-02T03:04:05.000006"}\n',
    );
  });

  it.each([false, true])('gives a terminal nothing to obey, and a program the same text (pretty: %s)', (pretty) => {
    const text = eventText(event(`a/${HOSTILE}`, { [HOSTILE]: [HOSTILE] }), pretty);
    expect(text.replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(text.slice(text.indexOf('\t')))).toMatchObject({ [HOSTILE]: [HOSTILE] });
  });
});
