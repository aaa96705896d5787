/** The mutants still fit the code: the drills build and kill them, which takes long; this only looks. */
import { existsSync, readFileSync } from 'node:fs';
import { inRoot } from '../support/places.js';
import { JOB_MUTANTS } from './job-mutants.js';
import { MESSAGE_MUTANTS } from './message-mutants.js';
import { mutated } from './mutant.js';

const read = (file: string) => readFileSync(inRoot(file), 'utf8');
const all = [...JOB_MUTANTS, ...MESSAGE_MUTANTS];

it.each(all)('$name: what it takes out is there once, and so is the file of its test', (mutant) => {
  for (const [file, text] of mutated(mutant, read)) expect(text).not.toBe(read(file));
  expect(existsSync(inRoot(mutant.spec))).toBe(true);
});

it('one whose text has gone is said to be so', () => {
  const gone = { name: 'gone', edits: [{ file: 'package.json', from: 'no such text', to: '' }], spec: '', test: '' };
  expect(() => mutated(gone, read)).toThrow('the mutant "gone" no longer applies: its text is 0 times in package.json');
});
