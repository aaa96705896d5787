/** `user.*`: accounts of this host. Looked up through the name service; changed with useradd, usermod and userdel. */
import { pyStr, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { toolOutput } from '../process/run-tool.js';
import {
  aboutPerson,
  groupNames,
  groups,
  knownName,
  plainName,
  REFRESH,
  type UserEntry,
  userOf,
  users,
  withFullName,
} from './name-databases.js';

const NAME = { name: 'name', type: 'str', doc: 'Name of the account.' } as const;

export const userModule = defineModule('user', {
  info: fn(
    {
      doc: 'What is known of one account.',
      params: [NAME],
      returns: 'a map, empty when there is none',
      examples: ['user.info root'],
    },
    async ({ name }, { signal }) => {
      const found = await userOf(name, signal);
      return found === undefined ? {} : shown(found, await groupNames(found, signal));
    },
  ),
  list_users: fn(
    { doc: 'The names of all accounts.', returns: 'a list', examples: ['user.list_users'] },
    async (_, { signal }) => (await users(signal)).map(({ name }) => name).sort(),
  ),
  list_groups: fn(
    {
      doc: 'The names of the groups that an account is in.',
      params: [NAME],
      returns: 'a list',
      examples: ['user.list_groups root'],
    },
    async ({ name }, { signal }) => {
      const found = await userOf(name, signal);
      return found === undefined ? [] : groupNames(found, signal);
    },
  ),
  getent: fn(
    { doc: 'All accounts.', params: [REFRESH], returns: 'a list of maps', examples: ['user.getent'] },
    async (_, { signal }) => {
      const all = await groups(signal);
      const namesOf = ({ name, gid }: UserEntry): readonly string[] =>
        all.filter((group) => group.gid === gid || group.members.includes(name)).map((group) => group.name);
      return (await users(signal)).map((user) => shown(user, namesOf(user).toSorted()));
    },
  ),
  primary_group: fn(
    { doc: 'The name of an account’s own group.', params: [NAME], examples: ['user.primary_group root'] },
    async ({ name }, context) => {
      const { gid } = await existing(name, context);
      return (await groups(context.signal, [String(gid)]))[0]?.name ?? '';
    },
  ),
  add: fn(
    {
      doc: 'Adds an account. Passwords are not set here: they would travel and be kept with the job.',
      params: [
        NAME,
        { name: 'uid', type: 'int', default: null },
        { name: 'gid', type: 'str', default: '', doc: 'Its own group, as a name or number.' },
        { name: 'groups', type: 'list', default: [], doc: 'Further groups.' },
        { name: 'home', type: 'str', default: '' },
        { name: 'shell', type: 'str', default: '' },
        { name: 'unique', type: 'bool', default: true },
        { name: 'system', type: 'bool', default: false },
        { name: 'fullname', type: 'str', default: '' },
        { name: 'roomnumber', type: 'str', default: '' },
        { name: 'workphone', type: 'str', default: '' },
        { name: 'homephone', type: 'str', default: '' },
        { name: 'other', type: 'str', default: '' },
        { name: 'createhome', type: 'bool', default: true },
      ],
      returns: 'true',
      examples: ['user.add ann uid=1500 groups=adm,dialout shell=/bin/bash'],
    },
    async (ask, context) => {
      const { name, uid, gid, home, shell } = ask;
      const valued: readonly (readonly [string, string])[] = [
        ['--uid', uid === null ? '' : String(uid)],
        ['--gid', gid],
        ['--groups', ask.groups.map((group) => knownName(pyStr(group))).join(',')],
        ['--home-dir', home],
        ['--shell', shell],
        ['--comment', aboutPerson([ask.fullname, ask.roomnumber, ask.workphone, ask.homephone, ask.other])],
      ];
      const given = valued.filter(([, value]) => value !== '').flatMap(([flag, value]) => [flag, oneLine(value)]);
      const plain = [ask.system ? '--system' : '', ask.unique ? '' : '--non-unique'].filter((flag) => flag !== '');
      const homeFlag = ask.createhome ? '--create-home' : '--no-create-home';
      await toolOutput('useradd', [...given, ...plain, homeFlag, '--', plainName(name)], context);
      return true;
    },
  ),
  delete: fn(
    {
      doc: 'Removes an account.',
      params: [
        NAME,
        { name: 'remove', type: 'bool', default: false, doc: 'Its home and mail too.' },
        { name: 'force', type: 'bool', default: false, doc: 'Even while it is logged in.' },
      ],
      returns: 'true',
      examples: ['user.delete ann remove=True'],
    },
    async ({ name, remove, force }, context) => {
      await existing(name, context);
      await toolOutput(
        'userdel',
        [...(remove ? ['--remove'] : []), ...(force ? ['--force'] : []), '--', name],
        context,
      );
      return true;
    },
  ),
  chuid: fn(
    {
      doc: 'Changes the number of an account.',
      params: [NAME, { name: 'uid', type: 'int' }],
      returns: 'true',
      examples: ['user.chuid ann 1501'],
    },
    ({ name, uid }, context) => modified(name, ['--uid', String(uid)], context),
  ),
  chgid: fn(
    {
      doc: 'Changes the own group of an account.',
      params: [NAME, { name: 'gid', type: 'str', doc: 'Its name or number.' }],
      returns: 'true',
      examples: ['user.chgid ann users'],
    },
    ({ name, gid }, context) => modified(name, ['--gid', oneLine(gid)], context),
  ),
  chshell: fn(
    {
      doc: 'Changes the shell of an account.',
      params: [NAME, { name: 'shell', type: 'str' }],
      returns: 'true',
      examples: ['user.chshell ann /bin/zsh'],
    },
    ({ name, shell }, context) => modified(name, ['--shell', oneLine(shell)], context),
  ),
  chfullname: fn(
    {
      doc: 'Changes the full name of an account; what else is told of its person stays.',
      params: [NAME, { name: 'fullname', type: 'str' }],
      returns: 'true',
      examples: ["user.chfullname ann 'Ann Onym'"],
    },
    async ({ name, fullname }, context) => {
      const { gecos } = await existing(name, context);
      return modified(name, ['--comment', withFullName(gecos, oneLine(fullname))], context);
    },
  ),
  chhome: fn(
    {
      doc: 'Changes the home of an account.',
      params: [
        NAME,
        { name: 'home', type: 'str' },
        { name: 'persist', type: 'bool', default: false, doc: 'Move what is in it.' },
      ],
      returns: 'true',
      examples: ['user.chhome ann /srv/ann persist=True'],
    },
    ({ name, home, persist }, context) =>
      modified(name, ['--home', oneLine(home), ...(persist ? ['--move-home'] : [])], context),
  ),
  chgroups: fn(
    {
      doc: 'Changes the further groups of an account.',
      params: [
        NAME,
        { name: 'groups', type: 'list' },
        { name: 'append', type: 'bool', default: false, doc: 'Keep those it is in.' },
      ],
      returns: 'true',
      examples: ['user.chgroups ann adm,dialout append=True'],
    },
    ({ name, groups: wanted, append }, context) => {
      const list = wanted.map((group) => knownName(pyStr(group))).join(',');
      return modified(name, [...(append ? ['--append'] : []), '--groups', list], context);
    },
  ),
});

async function existing(name: string, { signal }: CallContext): Promise<UserEntry> {
  const found = await userOf(name, signal);
  if (found === undefined) throw new ExecutionError(`User '${name}' does not exist`);
  return found;
}

async function modified(name: string, words: readonly string[], context: CallContext): Promise<true> {
  await existing(name, context);
  await toolOutput('usermod', [...words, '--', name], context);
  return true;
}

/** A colon or a line end would make fields of its own in the account files. */
function oneLine(text: string): string {
  if (/[:\n\r\0]/.test(text)) throw new InvocationError('a value holds a colon or a line end');
  return text;
}

function shown({ name, uid, gid, gecos, home, shell }: UserEntry, own: readonly string[]): ValueMap {
  const [fullname = '', roomnumber = '', workphone = '', homephone = '', ...other] = gecos.split(',');
  // The password's place is shown as Salt shows it, and never holds one.
  return {
    name,
    uid,
    gid,
    groups: own,
    home,
    passwd: 'x',
    shell,
    fullname,
    roomnumber,
    workphone,
    homephone,
    other: other.join(','),
  };
}
