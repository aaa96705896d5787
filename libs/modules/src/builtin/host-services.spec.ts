/** `user`, `group`, `kmod`, `apache`, `service`, `config` and what is not here: looks at this machine, changes nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { call, named } from '../testing/call-context.js';
import { aboutPerson, fieldsOf, withFullName } from './name-databases.js';
import { isAmong, unitNames } from './services.js';

const ret = async (fun: string, ...sent: Value[]) => (await call(fun, sent)).ret;
const lines = (text: string): readonly string[] => text.trim().split('\n');

describe('user.* and group.*', () => {
  it('say what the name service says', async () => {
    expect(await ret('user.info', 'root')).toMatchObject({ name: 'root', uid: 0, gid: 0, home: '/root', passwd: 'x' });
    expect(await ret('user.info', 'no-such-user')).toEqual({});
    const names = lines(execFileSync('getent', ['passwd'], { encoding: 'utf8' })).map((line) => line.split(':')[0]);
    expect(await ret('user.list_users')).toEqual([...names].sort());
    expect(await ret('user.list_groups', 'root')).toContain('root');
    expect(await ret('user.primary_group', 'root')).toBe('root');
    expect(await ret('group.info', 'root')).toEqual({ name: 'root', passwd: 'x', gid: 0, members: [] });
    expect(await ret('group.getent')).toHaveLength(
      lines(execFileSync('getent', ['group'], { encoding: 'utf8' })).length,
    );
  });

  it('are asked anew each time, whether or not that is asked for', async () => {
    for (const fun of ['user.getent', 'group.getent']) {
      expect(await ret(fun, true)).toEqual(await ret(fun));
      expect(await ret(fun, { __kwarg__: true, refresh: true })).toEqual(await ret(fun));
    }
  });

  it('a line of the name service that is not whole is no account, least of all root', () => {
    const whole = 'ann:x:1000:1000::/home/ann:/bin/sh';
    expect(fieldsOf(`${whole}\nbob:x:\n[output cut here: 1 of 2 bytes]\n+::::::\neve:x:y:1:::\n`, 'passwd')).toEqual([
      whole.split(':'),
    ]);
    expect(fieldsOf('adm:x:4:ann\n+:::\nusers:x', 'group')).toEqual([['adm', 'x', '4', 'ann']]);
  });

  it('an account changes by parameters with the names that Salt has', async () => {
    const params = async (fun: string) => ((await call('sys.argspec', [fun])).ret as ValueMap)[fun];
    expect(await params('user.chuid')).toMatchObject({ args: ['name', 'uid'] });
    expect(await params('user.chgid')).toMatchObject({ args: ['name', 'gid'] });
    expect(await params('user.chshell')).toMatchObject({ args: ['name', 'shell'] });
    expect(await params('user.chfullname')).toMatchObject({ args: ['name', 'fullname'] });
    const places = ['name', 'uid', 'gid', 'groups', 'home', 'shell', 'unique', 'system', 'fullname'];
    const further = ['roomnumber', 'workphone', 'homephone', 'other', 'createhome'];
    expect(await params('user.add')).toMatchObject({ args: [...places, ...further] });
    const last = await call('user.add', ['-x', 1, '', [], '', '', true, false, 'A', '', '', '', '', true, 'staff']);
    expect(last.ret).toContain('add() takes from 1 to 14 positional arguments but 15 were given');
  });

  it('what is told of a person has its places, without empty ones at the end', () => {
    expect(aboutPerson(['Ann', '', '55', '', ''])).toBe('Ann,,55');
    expect(aboutPerson(['', '12', '', '', 'x'])).toBe(',12,,,x');
    expect(aboutPerson(['', '', '', '', ''])).toBe('');
  });

  it('another full name leaves room and telephones as they are', () => {
    expect(withFullName('Ann,12,55,66,x', 'Ann Onym')).toBe('Ann Onym,12,55,66,x');
    expect([withFullName('Ann', 'A'), withFullName('', 'A'), withFullName('Ann,,5', '')]).toEqual(['A', 'A', ',,5']);
  });

  it.each([
    [
      'user.chshell',
      ['root', { __kwarg__: true, shell: 'a:b' }],
      "ERROR executing 'user.chshell': a value holds a colon or a line end",
    ],
    ['user.delete', ['no-such-user'], "ERROR: User 'no-such-user' does not exist"],
    ['user.delete', ['0'], "ERROR: User '0' does not exist"],
    ['user.add', ['--help'], "ERROR executing 'user.add': '--help' is not the name of an account or a group"],
    ['user.chhome', ['root', '/x:0:0'], "ERROR executing 'user.chhome': a value holds a colon or a line end"],
    ['group.delete', ['no-such-group'], "ERROR: Group 'no-such-group' does not exist"],
    ['group.adduser', ['root', '-x'], "ERROR executing 'group.adduser': '-x' is not the name of an account or a group"],
  ])('refuse %s %j, and change nothing', async (fun, sent, text) => {
    const before = ['/etc/passwd', '/etc/group'].map((file) => readFileSync(file, 'utf8'));
    expect(await call(fun, sent)).toMatchObject({ ret: text, success: false });
    expect(['/etc/passwd', '/etc/group'].map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });
});

describe('kmod.*', () => {
  it('lists modules, or says that the kernel has none', async () => {
    const outcome = await call('kmod.lsmod');
    if (existsSync('/proc/modules')) expect(outcome.success).toBe(true);
    else expect(outcome.ret).toBe('ERROR: the kernel of this host has no modules (there is no /proc/modules)');
    expect((await call('kmod.load', ['../x'])).ret).toContain("'../x' is not the name of a module");
  });
});

describe('apache.*', () => {
  it('answers of the server, or says that there is none', async () => {
    const isThere = ['/usr/sbin/apache2ctl', '/usr/sbin/httpd', '/usr/sbin/apachectl'].some((path) => existsSync(path));
    const version = await call('apache.version');
    if (isThere) expect(version.ret).toMatch(/^Apache/);
    else expect(version).toMatchObject({ ret: 'ERROR: this host has no Apache', retcode: 1 });
    expect((await call('apache.signal', ['KILL'])).ret).toContain('apache takes no signal KILL');
  });
});

describe('service.*', () => {
  it('knows other units of systemd than services by their whole names, as Salt does', () => {
    const listing =
      'ssh.service enabled enabled\nssh.socket  disabled enabled\nrun@.service static -\nrun@.timer static -\n';
    const all = unitNames(listing);
    expect(all).toEqual(['ssh', 'ssh.socket', 'run@', 'run@.timer']);
    for (const name of ['ssh', 'ssh.service', 'ssh.socket', 'run@a.b', 'run@a.service', 'run@a.timer'])
      expect([name, isAmong(all, name)]).toEqual([name, true]);
    for (const name of ['ssh.timer', 'run@a.socket', 'run', 'sock'])
      expect([name, isAmong(all, name)]).toEqual([name, false]);
  });

  it('asks what runs here, and refuses what is no service', async () => {
    expect((await call('service.start', ['no-such-service'])).ret).toBe('ERROR: there is no service no-such-service');
    expect(await ret('service.available', 'no-such-service')).toBe(false);
    expect(await ret('service.status', 'no-such-service')).toBe(false);
    expect(await ret('service.missing', 'no-such-service')).toBe(true);
    expect(await ret('service.status', '../x')).toContain("'../x' is not the name of a service");
    const listed = await ret('service.get_all');
    const all = isList(listed) ? listed : ['no list'];
    expect(all).not.toContain('no-such-service');
    const some = all.slice(0, 5);
    expect(await Promise.all(some.map((name) => ret('service.available', name)))).toEqual(some.map(() => true));
  });
});

describe('config.*', () => {
  it('shows no secret, and falls back to grains and pillar', async () => {
    expect(await ret('config.get', 'master')).toBe('salt');
    expect(await ret('config.get', 'os')).toBe('Debian');
    expect(await ret('config.get', 'role')).toBe('web');
    expect(await ret('config.get', 'join_password')).toBe('');
    expect(await ret('config.items')).toEqual({ id: 'web1', master: 'salt' });
  });

  it('looks in each place but those to pass over, in the order of Salt', async () => {
    const places = {
      config: { one: 'config', map: { a: 1 } },
      grains: () => ({ one: 'grain', two: 'grain', map: { a: 2, b: 2 } }),
      pillar: () => ({ one: 'pillar', three: 'pillar', 'map:a': 'flat' }),
    };
    const get = async (...words: Value[]) => (await call('config.get', words, places)).ret;
    const option = async (...words: Value[]) => (await call('config.option', words, places)).ret;
    for (const look of [get, option]) {
      expect(await look('one')).toBe('config');
      expect(await look('one', named({ omit_opts: true }))).toBe('grain');
      expect(await look('one', named({ omit_opts: true, omit_grains: true }))).toBe('pillar');
      expect(await look('three', 'none', named({ omit_pillar: true, omit_master: true }))).toBe('none');
      expect(await look('constructor')).toBe('');
    }
    expect(await get('map/b', 'none', '/')).toBe(2);
    expect(await get('map:b')).toBe(2);
    expect(await get('one', '', ':', 'recurse')).toMatch(/merge is not built/);
    expect(await option('map:b', 'none')).toBe('none');
    expect(await option(named({ value: 'two', omit_all: true, default: 7 }))).toBe(7);
    expect(await option('one', '', true, true)).toBe('pillar');
  });

  it('option takes a glob', async () => {
    const places = {
      config: { log_file: 'a', log_level: 'b' },
      grains: () => ({ log_file: 'grain' }),
      pillar: () => ({ log_more: 'c', log_token: 'canary' }),
    };
    const option = async (...words: Value[]) => (await call('config.option', words, places)).ret;
    const wildcard = named({ wildcard: true });
    expect(await option('log_*', wildcard)).toEqual({ log_file: 'a', log_level: 'b', log_more: 'c' });
    expect(await option('log_*', named({ wildcard: true, omit_opts: true, omit_pillar: true }))).toEqual({
      log_file: 'grain',
    });
    expect(await option('nope*', wildcard)).toEqual({});
    expect(await option('nope*', 'none', wildcard)).toBe('none');
    expect(await option('log_*')).toBe('');
  });

  it('merge makes one of maps and of lists, and has no secret', async () => {
    const places = {
      config: {
        map: { a: 1, token: 'canary' },
        list: [1],
        one: 'config',
        kind: { a: 1 },
        empty: [],
        api_key: 'canary',
      },
      grains: () => ({ map: { g: 1 }, only: 'grain' }),
      pillar: () => ({ map: { a: 2, b: 2 }, list: [2, 1], one: 'pillar', kind: [1], two: 'pillar', api_key: 'canary' }),
    };
    const merge = async (...words: Value[]) => (await call('config.merge', words, places)).ret;
    expect(await merge('map')).toEqual({ a: 1, b: 2 });
    expect(await merge('map', named({ omit_pillar: true }))).toEqual({ a: 1 });
    expect(await merge('map', named({ omit_opts: true, omit_master: true }))).toEqual({ a: 2, b: 2 });
    expect(await merge('list')).toEqual([1, 2, 1]);
    expect([await merge('one'), await merge('two'), await merge('kind')]).toEqual(['config', 'pillar', { a: 1 }]);
    for (const name of ['only', 'empty', 'api_key', 'map:a', 'constructor'])
      expect([await merge(name), await merge(name, 'none')]).toEqual(['', 'none']);
  });

  it.each([
    'pass',
    'dbpass',
    'passphrase',
    'pwd',
    'api_key',
    'apikey',
    'access_key',
    'ssh_key',
    'psk',
    'bindpw',
    'dsn',
    'key',
  ])('takes %s for the name of a secret', async (name) => {
    const places = { pillar: () => ({ app: { [name]: 'canary', user: 'app' } }) };
    expect((await call('config.get', [`app:${name}`, 'none'], places)).ret).toBe('none');
    const all = (await call('config.option', ['app', named({ wildcard: true })], places)).ret;
    expect(all).toEqual({ app: { user: 'app' } });
  });

  it('shows no secret of grains and pillar either, and what is null there is there', async () => {
    const places = {
      grains: () => ({ api_token: 'canary', empty: null }),
      pillar: () => ({ db: [{ user: 'app', password: 'canary' }], 'mail:secret': 'canary', empty: 'of the pillar' }),
    };
    const get = async (key: string) => (await call('config.get', [key, 'none'], places)).ret;
    expect(await Promise.all(['api_token', 'db:password', 'db:0:password', 'mail:secret'].map(get))).toEqual(
      Array(4).fill('none'),
    );
    expect(await get('db')).toEqual([{ user: 'app' }]);
    for (const key of ['api_token', 'mail:secret', '*'])
      expect((await call('config.option', [key, 'none'], places)).ret).toBe('none');
    expect((await call('config.get', ['db/0/password', 'none', '/'], places)).ret).toBe('none');
    expect((await call('config.option', ['*', named({ wildcard: true, omit_opts: true })], places)).ret).toEqual({
      empty: null,
      db: [{ user: 'app' }],
    });
    expect(await get('empty')).toBeNull();
  });
});

describe('key.finger', () => {
  it('is what the agent says, and not known without it', async () => {
    expect((await call('key.finger', [], { fingerprint: 'aa:bb' })).ret).toBe('aa:bb');
    expect((await call('key.finger')).ret).toBe(
      'ERROR: this host has no key yet; its agent makes one at its first start',
    );
  });
});

describe('what Natrium has not', () => {
  it('lists nothing where there is nothing, and says the rest plainly', async () => {
    expect(await ret('schedule.list')).toEqual({});
    expect(await ret('beacons.list')).toEqual({});
    expect(await ret('beacons.list_available')).toEqual([]);
    const outcome = await call('state.apply', ['web', { __kwarg__: true, test: true }]);
    expect(outcome).toMatchObject({ retcode: 1, success: false });
    expect(outcome.ret).toBe('ERROR: Natrium has no states: it runs commands, and does not manage configurations');
    expect(isMap(await ret('sys.doc', 'state.apply'))).toBe(true);
  });
});
