/** What the pages tell an operator to write or to copy is what the project itself has, and is enough. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../tests/support/places.js';

const text = (path: string) => readFileSync(inRoot(path), 'utf8');
const operations = text('docs/operations.md');

describe('the nats-server.conf of the pages', () => {
  /** The lines that no host has another word for. */
  const settings = (conf: string) =>
    [...conf.matchAll(/^ *(listen|http|max_payload|max_pending): (.*)$/gm)].map(([, key, value]) => [key, value]);

  it.each([
    ['docs/operations.md', /cat > \/etc\/natrium-broker\/nats-server\.conf <<'END'\n([\s\S]*?)\nEND/],
    ['docs/security.md', /`nats-server\.conf`:\n\n *```\n([\s\S]*?)\n *```/],
  ])('%s says what the containers have', (page, block) => {
    const said = block.exec(text(page))?.[1] ?? '';
    expect(settings(said)).toEqual(settings(text('containers/nats/common.conf')));
    expect(said).toMatch(/server_name: .*[\s\S]*sync_interval: always[\s\S]*include "server\.conf"/);
  });
});

describe('the move from a Salt master', () => {
  const block = /### From a Salt master\n[\s\S]*?\n```\n([\s\S]*?)\n```/.exec(operations)?.[1] ?? 'false';
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'nt-salt-'));
    mkdirSync(join(dir, 'salt', 'master.d'), { recursive: true });
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  it('leaves of Salt’s file what counts, without its own folders and account', () => {
    const ofSalt = 'user: salt\nroot_dir: /\npki_dir: /etc/salt/pki/master\ncachedir: /var/cache/salt\nsock_dir: /run/salt\n';
    writeFileSync(join(dir, 'salt', 'master'), `${ofSalt}peer:\n  web1$:\n    - test\\.ping$\n`);
    symlinkSync(inRoot('.'), join(dir, 'opt')); // whatever a shell reads in the path of this clone
    const here = block.replaceAll('/opt/natrium', join(dir, 'opt')).replaceAll('/etc', dir);
    const told = execFileSync('bash', ['-ec', here], { encoding: 'utf8' });
    expect(told).toContain('0 problems');
    expect(readFileSync(join(dir, 'natrium', 'master'), 'utf8')).toBe('peer:\n  web1$:\n    - test\\.ping$\n\nbroker_auth: jwt\n');
  }); // prettier-ignore
});

it('the install opens the policy, also files that were there, to the services’ group and to nobody else', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nt-policy-'));
  try {
    mkdirSync(join(dir, 'natrium/master.d'), { recursive: true, mode: 0o755 });
    const files = ['natrium/master', 'natrium/master.d/acl.conf'].map((name) => join(dir, name));
    for (const file of files) writeFileSync(file, '', { mode: 0o644 });
    const line = /^mkdir -p \/etc\/natrium\/master\.d .*$/m.exec(operations)?.[0] ?? 'false';
    execFileSync('sh', ['-ec', line.replaceAll('/etc', dir).replaceAll(' natrium ', ' "$(id -g)" ')]);
    const modes = [join(dir, 'natrium/master.d'), ...files].map((path) => statSync(path).mode & 0o777);
    expect(modes.map((mode) => mode.toString(8))).toEqual(['750', '640', '640']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

describe('the timer of new storage keys', () => {
  const block = /### New storage keys\n[\s\S]*?\n```\n([\s\S]*?)\n```/.exec(operations)?.[1] ?? 'false';
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'nt-timer-'));
    for (const name of ['bin', 'tools']) mkdirSync(join(dir, name));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  /** With programs in the place of the two that end with these codes. */
  function run(rotate: number, { lacks = '' } = {}) {
    writeFileSync(join(dir, 'bin/natriumctl'), `#!/bin/sh\nexit ${String(rotate)}\n`, { mode: 0o755 });
    const handsOut = `process.exitCode = process.argv[3] === '${lacks}' ? 3 : 0; console.log(process.argv[3])`;
    writeFileSync(join(dir, 'tools/role-keys.mjs'), handsOut);
    writeFileSync(join(dir, 'timer'), block.replaceAll('/opt/natrium', dir), { mode: 0o755 });
    const { status, stdout } = spawnSync(join(dir, 'timer'), { encoding: 'utf8' });
    return { status, handed: stdout.trim().split('\n') };
  }

  const all = ['acl', 'gateway', 'runner', 'sink'];

  it('hands out to every role, and ends well', () => {
    expect(run(0)).toEqual({ status: 0, handed: all });
  });

  it('hands out what a rotation made that ends with 1, and tells it', () => {
    expect(run(1)).toEqual({ status: 1, handed: all });
  });

  it('hands out to the others when it cannot to one, and tells it', () => {
    expect(run(0, { lacks: 'gateway' })).toEqual({ status: 3, handed: all });
  });
});

describe('what a minion’s host is given of /opt/natrium', () => {
  const folders = /tar -C \/opt\/natrium -cz ([^|]+?) \| ssh/.exec(operations)?.[1]?.split(' ') ?? [];
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'nt-host-'));
    for (const name of folders) cpSync(inRoot(name), join(dir, name), { recursive: true });
    mkdirSync(join(dir, 'etc'));
    writeFileSync(join(dir, 'etc', 'minion'), `id: web1\nnats: nats://127.0.0.1:1\nroot_dir: ${join(dir, 'root')}\n`);
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  it('is enough for its commands and its agent', () => {
    const called = execFileSync(join(dir, 'bin/natrium-call'), ['-c', join(dir, 'etc'), '--local', 'test.ping'], { encoding: 'utf8' }); // prettier-ignore
    expect(called).toContain('True');
    const unit = readFileSync(join(dir, 'systemd/natrium-minion.service'), 'utf8');
    const program = /ExecStart=.* (\/opt\/natrium\/\S+)/.exec(unit)?.[1]?.replace('/opt/natrium', dir) ?? '';
    expect(() => execFileSync(process.execPath, [program, '-c', join(dir, 'etc')], { stdio: 'pipe' })).toThrow(
      /natrium-minion web1: no master_finger is set/,
    );
  });

  it('is as small as it is said to be', () => {
    const sizeOf = (path: string): number =>
      statSync(path).isDirectory()
        ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
        : statSync(path).size;
    const told = Number(/and `systemd`, (\d+) MB/.exec(operations)?.[1]);
    const measured = folders.reduce((sum, name) => sum + sizeOf(join(dir, name)), 0) / 1e6;
    expect(Math.abs(measured - told)).toBeLessThan(5);
  });
});

it('comments in the files of an operator name headings that there are', () => {
  const folders = ['containers', 'systemd', 'examples'];
  const files = ['docker-compose.yml', 'docker-compose.one.yml', 'Dockerfile', ...folders.flatMap(filesIn)];
  const named = files.flatMap((file) =>
    [...text(file).matchAll(/\b(docs\/[\w-]+\.md)#([\w-]+)/g)].map(([, page = '', anchor = '']) => ({ file, page, anchor })),
  ); // prettier-ignore
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ page, anchor }) => !existsSync(inRoot(page)) || !anchorsOf(page).includes(anchor))).toEqual(
    [],
  );
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(inRoot(path)).isFile());
}

function anchorsOf(page: string): readonly string[] {
  return [...text(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'),
  ); // prettier-ignore
}
