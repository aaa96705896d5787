/**
 * `pkg.*` where rpm and dnf rule: in a mount namespace of its own, in which this machine is one of Red Hat's family and has neither dpkg's files nor apt-get,
 * a package that is built here is installed from a repository of one folder, and removed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getPackages } from '../support/apt.js';
import { BUILT } from '../support/places.js';

const PACKAGE = 'natrium-demo';
const FILE = `/usr/share/${PACKAGE}/hello`;
const SPEC = `Name: ${PACKAGE}
Version: 1.0
Release: 1
Summary: For a test
License: MIT
BuildArch: noarch
%description
For a test.
%install
mkdir -p %{buildroot}/usr/share/${PACKAGE}
echo hello > %{buildroot}${FILE}
%files
${FILE}
%dir /usr/share/${PACKAGE}
`;
/** Its arguments: the folder, and the command that runs natrium-call. */
const INSIDE = `set -e
mkdir -p /etc/yum.repos.d
for place in /var/lib/dpkg /var/lib/rpm /var/cache/dnf /etc/yum.repos.d; do mkdir -p "$place"; mount -t tmpfs none "$place"; done
mount --bind /dev/null /usr/bin/apt-get
printf 'NAME="Rocky Linux"\\nID=rocky\\nID_LIKE="rhel fedora"\\nVERSION_ID=9\\n' > "$1/os-release"
mount --bind "$1/os-release" /usr/lib/os-release
printf '[t]\\nname=t\\nbaseurl=file://%s/repo\\ngpgcheck=0\\n' "$1" > /etc/yum.repos.d/t.repo
rpm --initdb
call() { "$NODE" "$CALL" -c "$FOLDER/cfg" --local --out=json --out-indent=-1 "$@"; }
FOLDER=$1 NODE=$2 CALL=$3
call pkg.latest_version ${PACKAGE}
call pkg.install ${PACKAGE}
cat ${FILE}
call pkg.version ${PACKAGE}
call pkg.list_pkgs
call pkg.remove ${PACKAGE}
call pkg.version ${PACKAGE}
`;

let folder = '';

beforeAll(() => {
  if (process.getuid?.() !== 0) throw new Error('this test changes the machine: it needs root');
  const tools = ['/usr/bin/dnf', '/usr/bin/rpmbuild', '/usr/bin/createrepo_c'];
  if (!tools.every((tool) => existsSync(tool))) getPackages('dnf', 'rpm', 'createrepo-c');
  folder = mkdtempSync(join(tmpdir(), 'nt-dnf-'));
  mkdirSync(join(folder, 'cfg'));
  writeFileSync(join(folder, 'demo.spec'), SPEC);
  const define = (name: string, value: string) => ['--define', `${name} ${value}`];
  const words = [...define('_topdir', join(folder, 'top')), ...define('_rpmdir', join(folder, 'repo'))];
  execFileSync('rpmbuild', ['-bb', ...words, join(folder, 'demo.spec')], { stdio: 'ignore' });
  execFileSync('createrepo_c', ['-q', join(folder, 'repo')]);
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('installs a package with dnf, tells its version from rpm, and removes it again', () => {
  const words = ['-m', 'sh', '-c', INSIDE, 'sh', folder, process.execPath, join(BUILT, 'cli', 'natrium-call.mjs')];
  const said = execFileSync('unshare', words, { encoding: 'utf8' }).trim().split('\n');
  const [latest, installed, content, version, all, removed, after] = said;
  expect([latest, version, after].map(local)).toEqual(['1.0-1', '1.0-1', '']);
  expect(content).toBe('hello');
  expect(local(installed)).toEqual({ [PACKAGE]: { old: '', new: '1.0-1' } });
  expect(local(all)).toEqual({ [PACKAGE]: '1.0-1' });
  expect(local(removed)).toEqual({ [PACKAGE]: { old: '1.0-1', new: '' } });
  expect(existsSync(FILE)).toBe(false);
});

function local(line: string | undefined): unknown {
  return (JSON.parse(line ?? '') as { readonly local: unknown }).local;
}
