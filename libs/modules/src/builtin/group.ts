/** `group.*`: groups of this host. Looked up through the name service; changed with groupadd, groupmod, groupdel, gpasswd. */
import { pyStr, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { toolOutput } from '../process/run-tool.js';
import { type GroupEntry, groupOf, groups, knownName, plainName, REFRESH } from './name-databases.js';

const NAME = { name: 'name', type: 'str', doc: 'Name of the group.' } as const;
const WHO = [NAME, { name: 'username', type: 'str', doc: 'Name of the account.' }] as const;

export const groupModule = defineModule('group', {
  info: fn(
    {
      doc: 'What is known of one group.',
      params: [NAME],
      returns: 'a map, empty when there is none',
      examples: ['group.info adm'],
    },
    async ({ name }, { signal }) => {
      const found = await groupOf(name, signal);
      return found === undefined ? {} : shown(found);
    },
  ),
  getent: fn(
    { doc: 'All groups.', params: [REFRESH], returns: 'a list of maps', examples: ['group.getent'] },
    async (_, { signal }) => (await groups(signal)).map(shown),
  ),
  add: fn(
    {
      doc: 'Adds a group.',
      params: [NAME, { name: 'gid', type: 'int', default: null }, { name: 'system', type: 'bool', default: false }],
      returns: 'true',
      examples: ['group.add staff2 gid=3456'],
    },
    ({ name, gid, system }, context) => {
      const number = gid === null ? [] : ['--gid', String(gid)];
      return change('groupadd', [...number, ...(system ? ['--system'] : []), '--', plainName(name)], context);
    },
  ),
  delete: fn(
    { doc: 'Removes a group.', params: [NAME], returns: 'true', examples: ['group.delete staff2'] },
    async ({ name }, context) => {
      await existing(name, context);
      return change('groupdel', ['--', name], context);
    },
  ),
  chgid: fn(
    {
      doc: 'Changes the number of a group.',
      params: [NAME, { name: 'gid', type: 'int' }],
      returns: 'true',
      examples: ['group.chgid staff2 4376'],
    },
    async ({ name, gid }, context) => {
      await existing(name, context);
      return change('groupmod', ['--gid', String(gid), '--', name], context);
    },
  ),
  adduser: fn(
    { doc: 'Puts an account into a group.', params: WHO, returns: 'true', examples: ['group.adduser staff2 ann'] },
    async ({ name, username }, context) => {
      await existing(name, context);
      return change('gpasswd', ['--add', knownName(username), '--', name], context);
    },
  ),
  deluser: fn(
    { doc: 'Takes an account out of a group.', params: WHO, returns: 'true', examples: ['group.deluser staff2 ann'] },
    async ({ name, username }, context) => {
      const { members } = await existing(name, context);
      return members.includes(username) ? change('gpasswd', ['--delete', username, '--', name], context) : true;
    },
  ),
  members: fn(
    {
      doc: 'Puts these accounts, and no others, into a group.',
      params: [NAME, { name: 'members_list', type: 'list', doc: 'Names of accounts.' }],
      returns: 'true',
      examples: ['group.members staff2 ann,bob'],
    },
    async ({ name, members_list: members }, context) => {
      await existing(name, context);
      return change(
        'gpasswd',
        ['--members', members.map((one) => knownName(pyStr(one))).join(','), '--', name],
        context,
      );
    },
  ),
});

async function existing(name: string, { signal }: CallContext): Promise<GroupEntry> {
  const found = await groupOf(name, signal);
  if (found === undefined) throw new ExecutionError(`Group '${name}' does not exist`);
  return found;
}

async function change(program: string, args: readonly string[], context: CallContext): Promise<boolean> {
  await toolOutput(program, args, context);
  return true;
}

function shown({ name, gid, members }: GroupEntry): ValueMap {
  return { name, passwd: 'x', gid, members };
}
