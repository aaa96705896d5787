/** What runs as an account that no file and no name service names, as containers do. Runs as root, to become it. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT } from '../support/places.js';
import { runProgram } from '../support/run-program.js';

const UID = '10001';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-unnamed-'));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function unnamed(program: string, ...words: readonly string[]) {
  const drop = ['--reuid', UID, '--regid', UID, '--clear-groups', '--no-new-privs'];
  const node = [process.execPath, join(BUILT, 'cli', `${program}.mjs`)];
  return runProgram('setpriv', [...drop, ...node, ...words], { cwd: '/' });
}

it('natrium-call --return tells its number as the user', async () => {
  const returns = join(folder, 'out', 'returns.jsonl');
  mkdirSync(join(folder, 'out'));
  chmodSync(join(folder, 'out'), 0o777);
  writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nlocal_file: ${returns}\n`);
  const ran = await unnamed('natrium-call', '-c', folder, '--local', '--return', 'local_file', 'test.ping');
  expect(ran).toMatchObject({ code: 0, stdout: 'local:\n    True\n', stderr: '' });
  expect(JSON.parse(readFileSync(returns, 'utf8'))).toMatchObject({ fun: 'test.ping', return: true, user: UID });
});

it('natriumctl event says where it looked for the bus', async () => {
  writeFileSync(join(folder, 'master'), `root_dir: ${folder}\n`);
  const { code, stderr } = await unnamed('natriumctl', 'event', 'tail', '-c', folder);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain('master_event.sock');
});
