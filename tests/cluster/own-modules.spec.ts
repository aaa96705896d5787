/**
 * Modules and returners of the user in a whole cluster: whatever a program does, its job is answered with the reason, the
 * agent does not grow, and the next job is as fast as ever.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, WebhookReceiver } from '@natrium/testing';
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { inRoot } from '../support/places.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const ID = 'web1';
const NASTY = `#!/usr/bin/env python3
import ctypes, json, os, sys, time
names = ["ping", "hang", "flood", "segfault", "eat", "forks"]
if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"functions": {name: {"doc": "Does it."} for name in names}}))
    sys.exit()
fun = json.load(sys.stdin)["fun"]
if fun == "ping": print(json.dumps({"ret": True}))
if fun == "hang":
    with open(sys.argv[0] + ".hangs", "w") as file: file.write("yes")
    time.sleep(600)
if fun == "flood":
    for _ in range(1024): sys.stdout.write("x" * 1048576)
if fun == "segfault": ctypes.string_at(0)
if fun == "eat":
    kept = []
    while True: kept.append(b"x" * (16 << 20))
if fun == "forks":
    for _ in range(40): os.fork() or time.sleep(600)
    time.sleep(600)
`;
const GROWTH_MB = 32;
/** Enough for a busy machine to begin a program, and to fill the memory that it may have. */
const SECONDS = 12;
/** A plain job on an idle machine takes a tenth of it. */
const NEXT_JOB_MS = 5000;

let cluster: UpCluster;
let folder = '';
let receiver: WebhookReceiver;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-own-'));
  const own = join(folder, 'state', 'own');
  mkdirSync(own, { recursive: true });
  cpSync(inRoot('examples/returners'), join(own, 'returners'), { recursive: true });
  mkdirSync(join(own, 'modules'));
  writeFileSync(join(own, 'modules', 'nasty.py'), NASTY);
  chmodSync(join(own, 'modules', 'nasty.py'), 0o755);
  writeFileSync(
    join(own, 'returners', 'broken.py'),
    '#!/usr/bin/env python3\nprint(\'{"functions": {"returner": {"doc": "Breaks.", "params": [{"name": "ret"}]}}}\' if __import__("sys").argv[1:] else "no")\n',
  );
  chmodSync(join(own, 'returners', 'broken.py'), 0o755);
  const place = join(folder, 'state', 'minions', ID, 'minion.d');
  mkdirSync(place, { recursive: true });
  receiver = await WebhookReceiver.open();
  writeFileSync(join(folder, 'hook.secret'), receiver.secret);
  const hook = `webhook_url: ${receiver.url}\nwebhook_secret_file: ${folder}/hook.secret\nmulti_returner: [webhook, append_csv]\n`;
  const config = `module_dirs: ${own}/modules\nreturner_dirs: ${own}/returners\nmodule_timeout: ${SECONDS}\nmodule_memory: 256\nlog_level: error\n`;
  writeFileSync(join(place, 'own.conf'), config + hook);
  cluster = await upCluster({
    minions: [ID],
    masterConfig: `${NO_PEER}runner_dirs: ${inRoot('examples/runners')}\n`,
    folder: join(folder, 'state'),
  });
}, START_MS);

afterAll(async () => {
  await cluster.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = async (...words: readonly string[]) => {
  const { stdout } = await cluster.natrium('*', ...words, '--out=json', '--static');
  return (JSON.parse(stdout) as Readonly<Record<string, unknown>>)[ID];
};
const agentMemory = () => cluster.processes().find(({ name }) => name === ID)?.rss ?? Number.NaN;
const guests = () => cluster.processes().filter(({ name }) => name.startsWith('python') || name === 'nasty.py');
const minion = (...path: readonly string[]) => join(cluster.minion(ID), ...path);

it.each([
  ['hang', `ERROR: ran longer than ${SECONDS} s and was ended`],
  ['flood', 'ERROR: printed more than 1 MiB and was ended'],
  ['segfault', 'ERROR: ended by SIGSEGV'],
  ['eat', 'ERROR: needed more than 256 MiB of memory and was ended'],
  ['forks', `ERROR: ran longer than ${SECONDS} s and was ended`],
])('a Python module that does %s: its job says why, the agent stays small, the next job runs', async (fun, said) => {
  expect(await run('test.ping')).toBe(true);
  const before = agentMemory();
  expect(await run(`nasty.${fun}`)).toBe(said);
  // What stays, stays; what is only not collected yet goes.
  await until('it is small', () => agentMemory() - before < GROWTH_MB).catch(() => undefined);
  const after = agentMemory();
  const next: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const began = performance.now();
    expect(await run('nasty.ping')).toBe(true);
    next.push(performance.now() - began);
  }
  printFigure(`agent before nasty.${fun}`, before, 'MB');
  printFigure(`agent after nasty.${fun}`, after, 'MB');
  printFigure(`next job after nasty.${fun}, a Python module again`, next[0] ?? 0);
  expect(after - before).toBeLessThan(GROWTH_MB);
  // Of three one at least finds the machine with nothing else to do.
  expect(Math.min(...next)).toBeLessThan(NEXT_JOB_MS);
  await until('no module runs', () => guests().length === 0);
});

describe('--return', () => {
  it('hands each return to local_file on the minion, as one line of JSON, and the job is answered as ever', async () => {
    const file = minion('cache', 'returns.jsonl');
    const written = appears(file);
    expect(await run('test.arg', '1', 'a=b', '--return', 'local_file')).toBeDefined();
    await written;
    const [line = '', ...more] = readFileSync(file, 'utf8').trim().split('\n');
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({
      id: ID,
      jid: expect.stringMatching(/^\d{20}$/) as string,
      fun: 'test.arg',
      return: { args: [1], kwargs: { a: 'b' } },
      success: true,
      retcode: 0,
      tgt: '*',
      tgt_type: 'glob',
      user: expect.any(String) as string,
    });
    expect(await run('test.ping')).toBe(true);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1); // not asked, not handed
  });

  it('reaches a returner of the user in Python', async () => {
    const file = minion('cache', 'returns.csv');
    const written = appears(file);
    expect(await run('test.ping', '--return', 'append_csv')).toBe(true);
    await written;
    expect(readFileSync(file, 'utf8')).toMatch(/^\d+,\d{20},web1,test\.ping,0,true\r\n$/);
  });

  it('with multi reaches each of multi_returner, a signed webhook among them', async () => {
    const file = minion('cache', 'returns.csv');
    rmSync(file, { force: true });
    const written = appears(file);
    expect(await run('test.ping', '--return', 'multi')).toBe(true);
    await written;
    expect(await receiver.arrivals.next()).toMatchObject({
      id: expect.stringMatching(/^\d{20}%2Fweb1$/) as string,
      isSigned: true,
      body: { id: ID, fun: 'test.ping', return: true },
    });
    expect(receiver.all).toHaveLength(1); // the jobs before did not name it
  });

  it('to one that is unknown or fails leaves a line in the log, and the job is as it was', async () => {
    const said = (what: string) => cluster.lines.filter((line) => line.includes(`by the returner ${what}`));
    expect(await run('test.ping', '--return', 'nobody,broken')).toBe(true);
    await until('both lines', () => said('nobody').length > 0 && said('broken').length > 0);
    expect(said('nobody')).toEqual([expect.stringContaining('there is no returner of this name')]);
    expect(said('broken')).toEqual([expect.stringContaining('did not answer with JSON')]);
  });
});

it('a runner of the user in Python hears who asked', async () => {
  const { stdout, code } = await cluster.run('oncall.today', '2026-11-20', '--out=json');
  expect(JSON.parse(stdout)).toMatchObject({ day: '2026-11-20', asked_by: expect.any(String) as string });
  expect(code).toBe(0);
});

it('a killed agent leaves no module running', async () => {
  const flag = join(folder, 'state', 'own', 'modules', 'nasty.py.hangs');
  rmSync(flag, { force: true });
  const hangs = appears(flag);
  const job = cluster.natrium('*', 'nasty.hang', '-t', '1');
  await hangs;
  const group = guests();
  expect(group.length).toBeGreaterThan(0);
  cluster.kill(ID, 'SIGKILL');
  await job;
  const alive = () => new Set(cluster.processes().map(({ pid }) => pid));
  await until('no module runs', () => group.every(({ pid }) => !alive().has(pid)));
});

/** Resolves when there is something in a file whose folder is there. */
function appears(path: string): Promise<void> {
  const [parent, name] = [join(path, '..'), path.slice(path.lastIndexOf('/') + 1)];
  return new Promise((resolve) => {
    const watcher = watch(parent, (_, changed) => {
      if (changed === name) look();
    });
    const look = () => {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
      watcher.close();
      resolve();
    };
    look();
  });
}
