/** Rules of the command line of services and agents. */
import { jest } from '@jest/globals';
import { programOptions } from './program-options.js';

const argv = process.argv;
const said = { out: '', err: '', exit: undefined as unknown };

/** What is made of these words: the options, or how the process ends. */
function given(...words: readonly string[]): unknown {
  process.argv = ['node', 'main.mjs', ...words];
  Object.assign(said, { out: '', err: '', exit: undefined });
  const write = (to: 'out' | 'err') => (text: unknown) => {
    said[to] += String(text);
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(write('out'));
  jest.spyOn(process.stderr, 'write').mockImplementation(write('err'));
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    said.exit ??= code;
    throw new Error('ended');
  });
  try {
    return programOptions('natrium x', 'An x.', { metrics: { value: 'PORT', about: 'figures' } });
  } catch {
    return { ...said };
  } finally {
    jest.restoreAllMocks();
    process.argv = argv;
  }
}

it.each([
  [[], '/etc/natrium'],
  [['-c', '/a'], '/a'],
  [['--config', '/a'], '/a'],
  [['--config-dir=/a'], '/a'],
])('%j: the folder is %s', (words, configDir) => {
  expect(given(...words)).toEqual({ configDir, own: {} });
});

it('takes the options of the program', () => {
  expect(given('--metrics', '9101', '-c', '/a')).toEqual({ configDir: '/a', own: { metrics: '9101' } });
});

it.each(['-h', '--help'])('%s tells of all of them, and ends it', (word) => {
  const { out, exit } = given(word) as typeof said;
  expect(exit).toBe(0);
  expect(out).toMatch(/^Usage: natrium x/);
  for (const option of ['-c, --config-dir DIR', '--metrics PORT', '-h, --help']) expect(out).toContain(option);
});

it.each([['-d'], ['--log-level', 'info'], ['word'], ['-c']])('%j is a wrong use, in one line', (...words) => {
  const { out, err, exit } = given(...words) as typeof said;
  expect({ out, exit }).toEqual({ out: '', exit: 2 });
  expect(err).toMatch(/^natrium x: .*; see --help\n$/);
});
