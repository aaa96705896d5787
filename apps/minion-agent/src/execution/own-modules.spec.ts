import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckedGrant } from '@natrium/flow';
import type { Request, Value } from '@natrium/model';
import { minionFacts, OwnModules } from '@natrium/modules';
import { type RunnerContext, runnerRegistry } from '@natrium/runners';
import type { MinionConfig } from '@natrium/config';
import { Execution } from './execution.js';
import { ownModules } from './own-modules.js';

const HOST = fileURLToPath(new URL('./module-host.mjs', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../../examples/modules/', import.meta.url));
const MIB = 1024 * 1024;

const NASTY = `#!/usr/bin/env python3
import json, os, sys, time
names = ["ping", "hang", "flood", "complain", "segfault", "eat", "fail", "chatter", "orphan", "numbers"]
if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"functions": {name: {"doc": "Does it."} for name in names}}))
    sys.exit()
request = json.load(sys.stdin)
fun = request["fun"]
if fun == "ping": print(json.dumps({"ret": request["context"]["id"]}))
if fun == "hang": time.sleep(600)
if fun == "flood":
    for _ in range(1024): sys.stdout.write("x" * 1048576)
if fun == "complain":
    for _ in range(1024): sys.stderr.write("x" * 1048576)
if fun == "segfault": os.kill(os.getpid(), 11)
if fun == "eat": print(len(b"x" * (4 << 30)))
if fun == "fail": sys.exit("no such thing")
if fun == "chatter": print("not json")
if fun == "orphan":
    left, has_left = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(has_left, b"x")
        time.sleep(20)
        os._exit(0)
    os.read(left, 1)
    os._exit(0)
if fun == "numbers": print('{"ret": [1.0, 1, 12345678901234567890, 1.5, "1.0"]}')
`;

const data = {
  currentGrains: () => ({ id: 'web1' }),
  currentPillar: () => ({}),
  grains: async () => true,
  pillar: async () => true,
};

let folder = '';
let open: { close(): void }[] = [];

beforeAll(() => {
  if (spawnSync('python3', ['-c', '']).status !== 0)
    throw new Error('python3 is not on this machine: these tests need it');
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-own-'));
});
afterEach(() => {
  for (const own of open) own.close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

function put(name: string, text: string, mode = 0o755): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
}

async function anAgent({ seconds = 20, memoryMib = 512, folders = [folder] } = {}) {
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  const problems: string[] = [];
  const own = new OwnModules({
    folders,
    hostPath: HOST,
    limits: { seconds, memoryMib },
    facts: minionFacts,
    onProblem: (sentence) => problems.push(sentence),
  });
  let heard: (() => void) | undefined;
  await own.watch(() => {
    execution.use(own.modules);
    heard?.();
  });
  open.push(own);
  const changed = () => new Promise<void>((resolve) => (heard = resolve));
  let number = 0;
  const job = (funs: readonly string[], jid: string, args: readonly Value[] = []) =>
    execution.run(
      { funs, args: funs.map(() => args), tgt: '*', tgtType: 'glob', returner: '' } as unknown as Request,
      { jid, caller: { kind: 'account', name: 'root' } } as unknown as CheckedGrant,
    );
  const run = (fun: string, ...args: Value[]) => job([fun], String(++number).padStart(20, '0'), args);
  return { run, job, execution, problems, changed };
}

describe('a program of the user', () => {
  beforeEach(() => {
    put('nasty.py', NASTY);
  });

  it('that hangs is ended after its time, and the next job works', async () => {
    const { run } = await anAgent({ seconds: 10 }); // the next job's program has to begin in it as well
    expect(await run('nasty.hang')).toMatchObject({ ret: 'ERROR: ran longer than 10 s and was ended', success: false });
    expect(await run('nasty.ping')).toMatchObject({ ret: 'web1', retcode: 0 });
  });

  it.each(['flood', 'complain'])(
    'that prints 1 GB (%s) is ended, and the memory of the agent does not grow by it',
    async (fun) => {
      const { run } = await anAgent();
      await run('nasty.ping');
      const grown: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const before = process.memoryUsage().rss;
        expect((await run(`nasty.${fun}`)).ret).toBe('ERROR: printed more than 1 MiB and was ended');
        grown.push(process.memoryUsage().rss - before);
      }
      // What a gigabyte leaves, it leaves each time; what the engine takes for itself meanwhile, it does not.
      expect(Math.min(...grown)).toBeLessThan(64 * MIB);
      expect(await run('nasty.ping')).toMatchObject({ ret: 'web1', retcode: 0 });
    },
  );

  it('that segfaults, fails, eats memory or speaks no JSON is answered for with the reason', async () => {
    const { run } = await anAgent();
    expect((await run('nasty.segfault')).ret).toBe('ERROR: ended by SIGSEGV');
    expect((await run('nasty.fail')).ret).toBe('ERROR: ended with exit code 1: no such thing');
    expect((await run('nasty.eat')).ret).toBe('ERROR: needed more than 512 MiB of memory and was ended');
    expect((await run('nasty.chatter')).ret).toMatch(/^ERROR: did not answer with JSON/);
    expect(await run('nasty.ping')).toMatchObject({ ret: 'web1', retcode: 0 });
  });

  it('that leaves a descendant behind which holds its output is not waited for beyond its time', async () => {
    const { run } = await anAgent({ seconds: 2 });
    expect((await run('nasty.orphan')).ret).toBe('ERROR: ran longer than 2 s and was ended');
  });

  it('gives numbers as it wrote them', async () => {
    const { run } = await anAgent();
    const { ret } = await run('nasty.numbers');
    expect(ret).toEqual([{ value: 1 }, 1, 12345678901234567890n, 1.5, '1.0']);
  });

  it('is ended by term_job, kill_job and signal_job, and the functions after it do not run', async () => {
    const { run, job, execution } = await anAgent();
    for (const [fun, args] of [
      ['term_job', []],
      ['kill_job', []],
      ['signal_job', ['INT']],
    ] as const) {
      const jid = '20260101000000000777';
      const hanging = job(['nasty.hang', 'nasty.ping'], jid);
      expect(execution.running()).toContain(jid);
      expect((await run('saltutil.find_job', jid)).ret).toMatchObject({ jid, fun: ['nasty.hang', 'nasty.ping'] });
      expect((await run(`saltutil.${fun}`, jid, ...args)).ret).toMatch(
        /^Signal \d+ sent to job 20260101000000000777 at pid \d+$/,
      );
      const { ret, success } = await hanging;
      expect(success).toBe(false);
      expect(JSON.stringify(ret)).toMatch(/'nasty.hang' was ended.*'nasty.ping' was ended/);
      expect((await run('saltutil.find_job', jid)).ret).toEqual({});
    }
  });

  it('is also ended where the agent itself works on the job', async () => {
    const { run, job } = await anAgent();
    const sleeping = job(['test.sleep'], '20260101000000000778', [600]);
    expect((await run('saltutil.signal_job', '20260101000000000778', 'USR1')).ret).toMatch('nothing was done');
    expect((await run('saltutil.term_job', '20260101000000000778')).ret).toMatch('ended its waiting');
    expect((await sleeping).ret).toBe("'test.sleep' was ended: signal 15 was sent to its job");
  });
});

describe('a module of the user in JavaScript', () => {
  it('that loops, crashes or fills its memory cannot hurt the agent', async () => {
    put(
      'wild.mjs',
      `const doc = 'Does it.';
       export const module = { functions: {
         loop: { doc, timeout: 1, run() { for (;;); } },
         crash: { doc, run() { process.kill(process.pid, 'SIGSEGV'); return new Promise(() => setInterval(() => 0, 9)); } },
         fill: { doc, run() { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); } },
         never: { doc, run: () => new Promise(() => undefined) },
         thrown: { doc, run() { null.nothing; } },
         talks: { doc, run() { console.log('hello'); } },
       } };`,
    );
    const { run, problems } = await anAgent({ memoryMib: 256 });
    expect(problems).toEqual([]);
    expect((await run('wild.loop')).ret).toBe('ERROR: ran longer than 1 s and was ended');
    expect((await run('wild.crash')).ret).toBe('ERROR: ended by SIGSEGV');
    expect((await run('wild.fill')).ret).toBe('ERROR: needed more than 256 MiB of memory and was ended');
    expect((await run('wild.never')).success).toBe(false);
    expect((await run('wild.thrown')).ret).toMatch(/^The minion function caused an exception: TypeError: /);
    expect(await run('wild.talks')).toMatchObject({ ret: null, retcode: 0 });
  });

  it('is loaded, changed and taken away without a restart; a broken one is reported once and leaves nothing of its name', async () => {
    const named = (text: string) =>
      `export default { functions: { version: { doc: 'Says it.', run: () => '${text}' } } };`;
    const { run, problems, changed } = await anAgent();
    const after = async (change: () => void) => {
      const done = changed();
      change();
      await done;
    };
    expect((await run('test.version')).ret).toMatch(/^Natrium-/);
    await after(() => put('test.mjs', named('mine'), 0o644));
    expect((await run('test.version')).ret).toBe('mine');
    expect((await run('test.ping')).ret).toBe("'test.ping' is not available."); // replaced whole
    await after(() => put('test.mjs', named('newer'), 0o644));
    expect((await run('test.version')).ret).toBe('newer');
    await after(() => put('test.mjs', 'export default {', 0o644));
    expect((await run('test.version')).ret).toBe("'test.version' is not available.");
    await after(() => put('note.mjs', named('note'), 0o644));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/test\.mjs: .*SyntaxError/s);
    await after(() => rmSync(join(folder, 'test.mjs')));
    expect((await run('test.ping')).ret).toBe(true);
  });
});

it('refuses what everybody may write, what nobody may run, and what is not described, with file and reason', async () => {
  put('open.mjs', 'export default { functions: {} }', 0o666);
  put('cmd.py', NASTY, 0o644);
  put(
    'wrong.mjs',
    `export default { functions: { a: { doc: 'A.', params: [{ name: 'x', type: 'text' }], run() {} } } }`,
    0o644,
  );
  put('README.txt', 'not a module', 0o644);
  const { run, problems } = await anAgent({ folders: [folder, join(folder, 'none')] });
  expect(problems.sort()).toEqual([
    `${folder}/cmd.py: it is not executable (chmod +x)`,
    expect.stringMatching(/none: .*ENOENT/),
    `${folder}/open.mjs: everybody may write it`,
    `${folder}/wrong.mjs: a: x: type must be one of str, int, number, bool, list, map, any`,
  ]);
  expect((await run('cmd.run', 'id')).ret).toBe("'cmd.run' is not available."); // what it was to replace does not come back
});

it('what disable_modules names is not even asked what it is, and a name that nothing has is told', async () => {
  const asked = join(folder, 'asked');
  put('shut.sh', `#!/bin/sh\ntouch ${asked}\necho '{"functions": {"ping": {"doc": "Answers."}}}'\n`);
  put('ours.mjs', `export default { functions: { ping: { doc: 'Answers.', run: () => 'ours' } } };`, 0o644);
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  const said: string[] = [];
  const config: Partial<MinionConfig> = {
    ...{ module_dirs: [folder], module_timeout: 20, module_memory: 512 },
    ...{ disable_modules: ['shut', 'shot', 'cmd'], whitelist_modules: [] },
  };
  const log = { error: (sentence: string) => said.push(sentence), warn: (sentence: string) => said.push(sentence) };
  open.push(await ownModules(config as MinionConfig, execution, log as never));
  const run = async (fun: string) => (await execution.call(fun, [], '1')).ret;
  expect([await run('shut.ping'), await run('ours.ping')]).toEqual(["'shut.ping' is not available.", 'ours']);
  expect(existsSync(asked)).toBe(false);
  expect(said).toEqual(['disable_modules or whitelist_modules names shot, and no module is called so']);
});

it('serves runners as well, which hear who asked', async () => {
  put(
    'who.mjs',
    `export default { functions: { asks: { doc: 'Who.', run: (_, { caller }) => caller.name } } };`,
    0o644,
  );
  const own = new OwnModules<RunnerContext>({
    folders: [folder],
    hostPath: HOST,
    limits: { seconds: 20, memoryMib: 512 },
    facts: ({ caller, jid }) => ({ jid, caller: { kind: caller.kind, name: caller.name } }),
    onProblem: (sentence) => {
      throw new Error(sentence);
    },
  });
  await own.load();
  const caller = { kind: 'account', name: 'fred' };
  const context = { caller, jid: '1', signal: new AbortController().signal } as unknown as RunnerContext;
  expect(await runnerRegistry(own.modules).execute('who.asks', [], context)).toMatchObject({ ret: 'fred', retcode: 0 });
});

describe('the examples', () => {
  it('work as they stand', async () => {
    cpSync(EXAMPLES, folder, { recursive: true });
    const { run, problems } = await anAgent();
    expect(problems).toEqual([]);
    expect((await run('greet.hello', 'world', { __kwarg__: true, times: 2 })).ret).toBe(
      'hello world from web1! hello world from web1!',
    );
    expect((await run('greet.hello', 'world', 10)).ret).toBe("ERROR executing 'greet.hello': that is enough");
    put('large', 'x'.repeat(100_000), 0o644);
    expect((await run('big_files.find', folder, 1)).ret).toEqual([{ path: join(folder, 'large'), size: 100_000 }]);
    expect((await run('big_files.find', '/no/such')).ret).toBe('ERROR: there is no folder /no/such');
    expect((await run('big_files.find')).ret).toMatch(/^Passed invalid arguments to big_files.find/);
    expect(JSON.stringify((await run('sys.doc', 'greet')).ret)).toContain('Usage: greet.hello who [times=1]');
  });
});
