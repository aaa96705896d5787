/**
 * `event_acl` on real accounts: each entry's socket lets in its account or group and nobody else, and only to the tags that it
 * names. Runs as root, with accounts and groups that every Debian has.
 */
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { take, World } from '../events/world.js';

const MASTER = `
event_acl:
  games:
    read: ['monitoring/*']
    fire: ['monitoring/games']
  mail%:
    read: ['*']
`;

const SCRIPT = `
import json, socket, sys
bus = socket.socket(socket.AF_UNIX)
try:
    bus.connect(sys.argv[1])
except PermissionError:
    print("not let in"); sys.exit()
bus.sendall(sys.argv[2].encode() + b"\\n")
lines = bus.makefile()
for _ in range(int(sys.argv[3])): print(lines.readline().strip(), flush=True)
`;

let world: World;

beforeAll(async () => {
  world = await World.start(MASTER);
  for (const folder of ['', 'master']) chmodSync(join(world.cluster.folder, folder), 0o711);
});
afterAll(async () => {
  await world.stop();
});

/** What Python hears as another account, in a group of your choice. */
async function as(user: string, group: string, socket: string, line: object, lines = 1): Promise<readonly string[]> {
  const who = ['--reuid', user, '--regid', group, '--clear-groups'];
  const words = [SCRIPT, join(world.folder('run'), socket), JSON.stringify(line), String(lines)];
  const { stdout } = await promisify(execFile)('setpriv', [...who, 'python3', '-c', ...words], {
    timeout: 20_000,
    env: { PATH: '/usr/bin:/bin' }, // root's own Python may be where others may not go
  });
  return stdout.trimEnd().split('\n');
}

describe('event_acl', () => {
  it('lets an account fire what its entry names, and nothing else', async () => {
    const events = await world.listen(['monitoring/', 'salt/key']);
    expect(await as('games', 'games', 'events/games.sock', { fire: 'salt/key' })).toEqual([
      '{"error":"event_acl does not let you fire salt/key"}',
    ]);
    expect(await as('games', 'games', 'events/games.sock', { fire: 'monitoring/games', data: { n: 1 } })).toEqual([
      '{"fired":true}',
    ]);
    const [heard] = await take(events, 1);
    expect(heard).toMatchObject({ tag: 'monitoring/games', data: { n: 1 }, origin: { kind: 'local', name: 'games' } });
  });

  it('lets an account read what its entry names, and hear nothing else', async () => {
    await world.master().fire('secret/x');
    await world.master().fire('monitoring/load', { load: 3 });
    const heard = await as('games', 'games', 'events/games.sock', { subscribe: [], from: 'start', until: 'now' }, 20);
    expect(heard.some((line) => line.includes('monitoring/load'))).toBe(true);
    expect(heard.filter((line) => line.includes('secret/x') || line.includes('salt/'))).toEqual([]);
  });

  it('lets a group in by the group, for what it names', async () => {
    expect(await as('nobody', 'mail', 'events/group-mail.sock', { fire: 'x' })).toEqual([
      '{"error":"event_acl does not let you fire x"}',
    ]);
    expect(
      await as('nobody', 'mail', 'events/group-mail.sock', { subscribe: 'secret/', from: 'start' }, 2),
    ).toContainEqual(expect.stringContaining('secret/x'));
  });

  it.each([
    ['nobody', 'nogroup', 'events/games.sock'],
    ['nobody', 'nogroup', 'events/group-mail.sock'],
    ['games', 'games', 'events/group-mail.sock'],
    ['games', 'games', 'master_event.sock'],
    ['games', 'games', 'master_event_pull.ipc'],
    ['games', 'games', 'master_event_pub.ipc'],
  ])('%s of %s is not let in at %s', async (user, group, socket) => {
    expect(await as(user, group, socket, { fire: 'monitoring/games' })).toEqual(['not let in']);
  });
});
