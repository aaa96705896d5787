/** `cmd.*` that looks for programs, and `cmd.script`: a script whose text came with the request, or that is on this host. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvocationError } from '../loader/errors.js';
import { reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { findProgram } from '../process/find-program.js';
import { SYSTEM_PATH } from '../process/run-tool.js';
import { splitWords } from '../process/split-words.js';
import { readWhole } from './file-access.js';
import { mustBePermitted } from './command-lists.js';
import { inputOf, limitOf, RAW_NEWLINES, shown, started, TIMEOUT, workingFolder } from './run-command.js';

const CMD = [{ name: 'cmd', type: 'str', doc: 'Name of the program.' }] as const;
const find = (name: string): Promise<string | undefined> => findProgram(name, process.env['PATH'] ?? SYSTEM_PATH, '/');

export const cmdPrograms = {
  which: fn(
    { doc: 'Where a program is.', params: CMD, returns: 'its path, or None', examples: ['cmd.which cat'] },
    async ({ cmd }) => (await find(cmd)) ?? null,
  ),
  has_exec: fn(
    { doc: 'Tells whether there is such a program.', params: CMD, examples: ['cmd.has_exec cat'] },
    async ({ cmd }) => (await find(cmd)) !== undefined,
  ),
  script: fn(
    {
      doc: 'Runs a script, as the account of the minion. Its text is an argument, or it is on this host; nothing is fetched.',
      params: [
        { name: 'source', type: 'str', doc: 'A whole path on this host, or the text, which begins with #!.' },
        { name: 'args', type: 'str', default: '', doc: 'Its words, split as a shell quotes them.' },
        { name: 'cwd', type: 'str', default: '', doc: 'Folder to run in; the home of the account when not given.' },
        { name: 'stdin', type: 'str', default: '', doc: 'Text for its standard input.' },
        // By name only: Salt has others in its place, and what is meant for those must not become a limit.
        { ...TIMEOUT, keyword: true },
        RAW_NEWLINES,
      ],
      returns: 'pid, retcode, stdout and stderr',
      examples: [`cmd.script /opt/check.sh args="a 'b c'"`, "cmd.script $'#!/bin/sh\\necho hello'"],
    },
    async ({ source, args, cwd: asked, timeout, ...input }, context) => {
      const { signal, processes } = context;
      const text = source.startsWith('/') ? await readWhole(source, true) : source;
      if (!text.startsWith('#!'))
        throw new InvocationError('a script is a whole path on this host, or a text that begins with #!');
      const limit = limitOf(timeout);
      const cwd = await workingFolder(asked);
      // A folder of its own that only this account may open: nobody changes the script before it runs.
      const folder = await mkdtemp('/tmp/natrium-script-');
      try {
        const file = join(folder, 'script');
        await writeFile(file, text, { mode: 0o700 });
        const env = { PATH: SYSTEM_PATH, LC_ALL: 'C', HOME: process.env['HOME'] ?? '/' };
        const { words } = splitWords(args);
        const cmd = [source.startsWith('/') ? source : file, ...words];
        mustBePermitted(cmd, context);
        const ask = { file, args: words, cwd, env, stdin: inputOf(input), merged: false, ...limit, signal, processes };
        const { notes, ...ran } = shown({ cmd, timeout, rstrip: true }, await started(ask), []);
        return reply({ ...ran }, { retcode: ran.retcode, notes });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  ),
} as const;
