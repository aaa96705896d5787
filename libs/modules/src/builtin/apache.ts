/** `apache.*`: the web server of this host, as its own program and its configuration files tell. */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { hasTool, toolOutput } from '../process/run-tool.js';
import { readWhole } from './file-access.js';

const PROGRAMS = ['apache2ctl', 'apachectl', 'httpd'] as const;
const CONFIG = ['/etc/apache2', '/etc/httpd'] as const;
const FILES_LIMIT = 500;

export const apacheModule = defineModule('apache', {
  version: fn({ doc: 'The version of the server.', examples: ['apache.version'] }, async (_, context) =>
    (/^Server version:\s*(.*)$/m.exec(await asked('-v', context))?.[1] ?? '').trim(),
  ),
  fullversion: fn(
    { doc: 'How the server was built.', returns: 'a map', examples: ['apache.fullversion'] },
    async (_, context) => buildFacts(await asked('-V', context)),
  ),
  modules: fn(
    { doc: 'The modules of the server.', returns: 'a map: static and shared', examples: ['apache.modules'] },
    async (_, context) => {
      const rows = [...(await asked('-M', context)).matchAll(/^\s+(\S+) \((static|shared)\)$/gm)];
      const of = (kind: string): readonly string[] => rows.flatMap(([, name = '', is]) => (is === kind ? [name] : []));
      return { static: of('static'), shared: of('shared') };
    },
  ),
  vhosts: fn(
    { doc: 'The virtual hosts, as the server lists them.', returns: 'text', examples: ['apache.vhosts'] },
    async (_, context) => (await asked('-S', context)).trim(),
  ),
  config: fn(
    {
      doc: 'The configuration files and their text.',
      params: [
        { name: 'name', type: 'str', default: '', doc: 'One file, from the configuration’s folder; else their names.' },
      ],
      returns: 'a list of names, or the text of one',
      examples: ['apache.config', 'apache.config apache2.conf'],
    },
    ({ name }) => configuration(name),
  ),
  signal: fn(
    {
      doc: 'Starts, stops or restarts the server.',
      params: [{ name: 'signal', type: 'str', doc: 'start, stop, restart, graceful or graceful-stop.' }],
      returns: 'what it said',
      examples: ['apache.signal restart'],
    },
    async ({ signal }, context) => {
      if (!/^(start|stop|restart|graceful|graceful-stop)$/.test(signal))
        throw new InvocationError(`apache takes no signal ${signal}`);
      return (await asked(['-k', signal], context)).trim();
    },
  ),
});

async function asked(flags: string | readonly string[], context: CallContext): Promise<string> {
  for (const program of PROGRAMS) if (await hasTool(program)) return toolOutput(program, [flags].flat(), context);
  throw new ExecutionError('this host has no Apache');
}

/** `Server built: …` and `-D NAME=value` lines, with Salt's keys. */
function buildFacts(text: string): ValueMap {
  const facts = [...text.matchAll(/^([A-Z][\w' -]*):\s+(.*)$/gm)].map(
    ([, name = '', value = '']) => [name.toLowerCase().replaceAll(' ', '_').replaceAll("'", ''), value.trim()] as const,
  );
  const defines = [...text.matchAll(/^ -D (.*)$/gm)].map(([, define = '']) => define);
  return { ...Object.fromEntries(facts), compiled_with: defines };
}

async function configuration(name: string): Promise<string | readonly string[]> {
  for (const folder of CONFIG) {
    const directory = await opendir(folder, { recursive: true }).catch(() => undefined);
    if (directory === undefined) continue;
    const names: string[] = [];
    for await (const entry of directory) {
      if (entry.name.endsWith('.conf') && names.length < FILES_LIMIT)
        names.push(join(entry.parentPath, entry.name).slice(folder.length + 1));
    }
    if (name === '') return names.sort();
    if (!names.includes(name)) throw new ExecutionError(`there is no ${name} in ${folder}`);
    return readWhole(join(folder, name), true);
  }
  throw new ExecutionError('this host has no Apache');
}
