/** Rules of the commands in `bin/`: what was built runs at once, and whoever has changed a source since hears that at the end. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inRoot } from './programs.mjs';

const BUILT = 1_795_000_000;

let root: string;

function write(path: string, text: string, seconds: number): void {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  utimesSync(whole, seconds, seconds);
}

const run = () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'bin', 'natrium')], { encoding: 'utf8' });
  return { stdout, stderr, status };
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nt-start-'));
  mkdirSync(join(root, 'bin'));
  for (const name of ['start.cjs', 'natrium']) copyFileSync(inRoot(`bin/${name}`), join(root, 'bin', name));
  write('dist/cli/natrium.cjs', "process.stdout.write('hello\\n'); process.exit(3);\n", BUILT);
  copyFileSync(inRoot('tools/start-program.cjs'), join(root, 'dist/cli/start-program.cjs'));
  write('dist/.built', '', BUILT);
  write('libs/model/src/index.ts', '', BUILT - 1);
  write('apps/cli/src/natrium.ts', '', BUILT - 1);
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('a command that is built', () => {
  it('runs, and says nothing of its own', () => {
    expect(run()).toEqual({ stdout: 'hello\n', stderr: '', status: 3 });
  });

  it.each(['libs/model/src/index.ts', 'apps/cli/src/natrium.ts'])(
    'says that %s is newer, and runs all the same',
    (path) => {
      write(path, '', BUILT + 1);
      const said = `natrium: older than its sources; run "npm run build" in ${root}\n`;
      expect(run()).toEqual({ stdout: 'hello\n', stderr: said, status: 3 });
    },
  );

  it('takes no notice of a link to nothing, as an editor leaves beside a file that is being written', () => {
    symlinkSync('me@host.1', join(root, 'libs/model/src/.#index.ts'));
    expect(run()).toEqual({ stdout: 'hello\n', stderr: '', status: 3 });
  });

  it('says in a sentence that no more files may be open', () => {
    const error = "Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })";
    const stderr = 'natrium: no more files may be open here (ulimit -n): EMFILE: too many open files\n';
    for (const fails of [`throw ${error}`, `exports.ended = Promise.reject(${error})`]) {
      write('dist/cli/natrium.cjs', `${fails};\n`, BUILT);
      expect(run()).toEqual({ stdout: '', stderr, status: 1 });
    }
  });

  it('takes no notice of a spec that is newer', () => {
    write('libs/model/src/index.spec.ts', '', BUILT + 1);
    expect(run().stderr).toBe('');
  });
});
