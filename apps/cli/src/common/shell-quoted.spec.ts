/** Rules of words for a shell, by a shell. */
import { execFileSync } from 'node:child_process';
import { shellQuoted, shellWord } from './shell-quoted.js';

it.each(['plain', '', 'two words', "it's", '$HOME `id` "x" \\', '*', 'a\nb', '~root', '-n;id'])(
  'a shell takes it for one word: %j',
  (text) => {
    for (const word of [shellQuoted(text), shellWord(text)])
      expect(execFileSync('sh', ['-c', `printf '[%s]' ${word}`], { encoding: 'utf8' })).toBe(`[${text}]`);
  },
);

it('what needs no quotes has none', () => {
  expect(shellWord('/tmp/nt-1/minions/web1.example.com')).toBe('/tmp/nt-1/minions/web1.example.com');
});
