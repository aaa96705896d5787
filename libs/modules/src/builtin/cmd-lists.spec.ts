/** Rules of which commands `cmd.*` may run on this minion. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '../call-context.js';
import { call } from '../testing/call-context.js';

const NOT_PERMITTED: unknown = expect.stringContaining('This shell command is not permitted: "');
const config = { cmd_blacklist_glob: ['touch *', 'rm -rf *'] };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-lists-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it.each(['cmd.run', 'cmd.run_all', 'cmd.run_stdout', 'cmd.run_stderr', 'cmd.shell', 'cmd.retcode'])(
  '%s runs nothing that the blacklist names, as text or as words',
  async (fun) => {
    const file = join(folder, 'touched');
    for (const cmd of [`touch ${file}`, ['touch', file]])
      expect(await call(fun, [cmd], { config })).toMatchObject({ ret: NOT_PERMITTED, retcode: 1, success: false });
    expect(existsSync(file)).toBe(false);
    expect((await call(fun, [`touch ${file}`])).success).toBe(true);
    expect(existsSync(file)).toBe(true);
  },
);

it('a whitelist names all that is run, less what the blacklist names', async () => {
  const only = { ...config, cmd_whitelist_glob: ['echo *', 'touch *'] };
  expect((await call('cmd.run', ['echo hi'], { config: only })).ret).toBe('hi');
  expect((await call('cmd.run', ['true'], { config: only })).ret).toEqual(NOT_PERMITTED);
  expect((await call('cmd.run', [`touch ${folder}/x`], { config: only })).ret).toEqual(NOT_PERMITTED);
});

it.each<[string, Partial<CallContext>]>([
  ['the grains', { grains: () => config }],
  ['the pillar', { pillar: () => config }],
  [
    'the pillar, where the configuration has an empty one',
    { config: { cmd_blacklist_glob: [] }, pillar: () => config },
  ],
])('they may be in %s', async (_place, context) => {
  expect((await call('cmd.run', ['rm -rf /nowhere'], context)).ret).toEqual(NOT_PERMITTED);
  expect((await call('cmd.run', ['echo hi'], context)).ret).toBe('hi');
});

it('a script is a command as well, with its words', async () => {
  const script = '#!/bin/sh\necho hi';
  const denied = { config: { cmd_blacklist_glob: ['*/script now'] } };
  expect((await call('cmd.script', [script, 'now'], denied)).ret).toEqual(NOT_PERMITTED);
  expect((await call('cmd.script', [script, 'later'], denied)).ret).toMatchObject({ stdout: 'hi' });
});
