/** A rule of logs on a disk that is full, with the system's own device for that. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Logs, works on and logs again, and ends by itself. */
const PROGRAM = `
import { createRequire } from 'node:module';
import { lastingLog, WAITING_LOG_BYTES } from './lasting-log.mjs';
const { pino } = createRequire('${here('./lasting-log.ts')}')('pino');
const log = pino({}, lastingLog(pino.destination({ dest: 1, maxLength: WAITING_LOG_BYTES })));
log.info('one');
setTimeout(() => {
  log.info('two');
  process.stderr.write('works on');
  setTimeout(() => process.exit(3), 50);
}, 50);
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-lasting-log-'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  const bundled = ['--bundle', '--platform=node', '--format=esm', `--outfile=${join(folder, 'lasting-log.mjs')}`];
  const { status, stderr } = spawnSync(
    here('../../../node_modules/.bin/esbuild'),
    [here('./lasting-log.ts'), ...bundled],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function ran(log: string) {
  const child = spawn(process.execPath, [join(folder, 'program.mjs')], {
    stdio: ['ignore', openSync(log, 'a'), 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  return { code: child.exitCode, said };
}

it('a process whose log is on a full disk works on, and ends when it is to; on another it logs all', async () => {
  expect(await ran('/dev/full')).toEqual({ code: 3, said: 'works on' });
  const path = join(folder, 'log');
  expect(await ran(path)).toEqual({ code: 3, said: 'works on' });
  expect(readFileSync(path, 'utf8').match(/"msg":"\w+"/g)).toEqual(['"msg":"one"', '"msg":"two"']);
});
