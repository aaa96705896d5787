/** Rules of who of a bus hears an event: first what the listener may hear at all, and only then its own patterns, which may be costly. */
import type { Heard } from '../event/event.js';
import { Member } from './members.js';

const event = (tag: string): Heard => {
  const origin = { kind: 'local', name: 'test' } as const;
  return { tag, data: {}, stamp: '2026-11-21T12:00:00.000000', cursor: '1.0', origin, id: 'b.1' };
};

it('what a listener may not hear is not run through its patterns, and takes no room from what it may', async () => {
  const tested: string[] = [];
  const wants = (tag: string) => tested.push(tag) > 0 && !tag.endsWith('/no');
  const mayHear = (tag: string) => tag.startsWith('open/');
  const member = new Member(wants, { limit: 2, mayHear }, () => undefined);
  for (const tag of ['secret/a', 'open/a', 'secret/b', 'open/no', 'secret/c', 'open/b']) member.offer(event(tag));
  expect((await member.outlet.take())?.map(({ tag }) => tag)).toEqual(['open/a', 'open/b']);
  expect(tested).toEqual(['open/a', 'open/no', 'open/b']);
});

it('a gap is told whatever it may hear', async () => {
  const member = new Member(
    () => false,
    { mayHear: () => false },
    () => undefined,
  );
  member.offer(event('natrium/gap'));
  expect((await member.outlet.take())?.map(({ tag }) => tag)).toEqual(['natrium/gap']);
});
