import { tellingOnce } from './left-out.js';

it('of a day’s jobs and returns that another version has stored the log has one line for each kind', () => {
  const said: unknown[] = [];
  const tell = tellingOnce({ warn: (sentence: unknown) => said.push(sentence) });
  for (let n = 0; n < 3; n += 1) for (const kind of ['job', 'return'] as const) tell(kind);
  const of = (kind: string) => expect.stringMatching(`^a ${kind} that is kept is left out`) as unknown;
  expect(said).toEqual([of('job'), of('return')]);
});
