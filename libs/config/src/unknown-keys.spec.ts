import { type Files, MasterFolder } from './master-folder.spec-support.js';

let master: MasterFolder;
beforeEach(() => {
  master = new MasterFolder();
});
afterEach(() => {
  master.remove();
});

const load = (files: Files) => master.load(files);
const problems = (files: Files) => master.problems(files);

describe('a key that Natrium does not know', () => {
  it('may have any name where only others refer to it: the anchor of an alias, the profile of an sdb', () => {
    const master = '_ops: &ops [test.*]\nmasterkeyring: {driver: keyring}\npeer: {web1: *ops}\n';
    expect(load({ master }).config.peer).toEqual({ web1: ['test.*'] });
    expect(problems({ master: 'masterkeyring: {drivers: keyring}\n' })).toHaveLength(1);
  });

  it('is set aside as the profile of one of Salt’s modules, all of whose settings are dotted', () => {
    expect(load({ master: 'my_etcd: {etcd.host: 10.0.0.1, etcd.port: 4001}\n' }).unused).toEqual(['my_etcd']);
    expect(problems({ master: 'my_etcd: {etcd.host: 10.0.0.1, port: 4001}\n' })).toHaveLength(1);
    expect(problems({ master: 'my_etcd: {}\n' })).toHaveLength(1);
    expect(problems({ master: 'my_acl: {first.last: [test.ping]}\n' })).toHaveLength(1);
    expect(problems({ master: 'my_hosts: {web1.example.com: up, db1.example.com: up}\n' })).toHaveLength(1);
  });

  it.each(['engines_dirs', 'fileserver_dirs', 'pillar_dirs', 'roster_dirs', 'proxy_dirs', 'auth_dirs', 'wheel_dirs'])(
    'is set aside where Salt’s loader reads it: %s',
    (key) => {
      expect(load({ master: `${key}: [/srv/ours]\n` }).unused).toEqual([key]);
    },
  );

  it.each(['rest_wsgi: {port: 8001}', 'mysql: {user: salt}', 'sseapi_server: https://raas.example.com'])(
    'is set aside where a part of Salt’s reads it: %s',
    (line) => {
      expect(load({ master: `${line}\n` }).unused).toEqual([line.split(':')[0]]);
    },
  );

  it('is told where to be indented when the key above it has no value', () => {
    const none = 'no key of Natrium, and none of Salt’s that it knows';
    expect(problems({ master: 'external_auth:\npam:\n  salt: [.*]\nuser: root\npear: {}\n' })).toEqual([
      `DIR/master:2: pam: ${none}. Mend: indent it below external_auth, which has no value.`,
      `DIR/master:5: pear: ${none}. Mend: did you mean peer?`,
    ]);
    const lists = 'publisher_acl_blacklist:\nusers: [root]\nmodules: [cmd.*]\n';
    expect(problems({ master: lists })).toEqual([
      `DIR/master:2: users: ${none}. Mend: did you mean user? Or indent it below publisher_acl_blacklist, which has no value.`,
      `DIR/master:3: modules: ${none}. Mend: indent it below publisher_acl_blacklist, which has no value.`,
    ]);
  });

  it('is a problem where it restricts somebody in Salt, and would restrict nobody here', () => {
    expect(problems({ master: 'mine_get: {web1.example.com: [network.*]}\n' })).toEqual([
      expect.stringContaining('mine_get: in Salt this restricts who reads the mine, and here it would not'),
    ]);
  });

  it('is told which one is nearest', () => {
    expect(problems({ master: 'pear:\n  .*: [.*]\npublisher_alc: {}\nfrobnicate: 1\n' })).toEqual([
      'DIR/master:1: pear: no key of Natrium, and none of Salt’s that it knows. Mend: did you mean peer?',
      'DIR/master:3: publisher_alc: no key of Natrium, and none of Salt’s that it knows. Mend: did you mean publisher_acl?',
      'DIR/master:4: frobnicate: no key of Natrium, and none of Salt’s that it knows. Mend: remove it; docs/configuration.md lists the keys.',
    ]);
    for (const [key, near] of [
      ['publisher_alc', 'publisher_acl'],
      ['peer_rum', 'peer_run'],
    ] as const)
      expect(problems({ master: `${key}: {first.last: [test.ping]}\n` }).join()).toContain(`did you mean ${near}?`);
    expect(problems({ master: 'client_acl: {first.last: [test.ping]}\n' }).join()).toContain('renamed');
  });
});
