/** Rules of the options of `service.*`, which scripts written for Salt give. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isList } from '@natrium/model';
import { call, named } from '../testing/call-context.js';
import { listingWords, scriptsIn, systemctlCalls } from './services.js';

const NOBODY = 'natrium-no-such-service';
const plain = { noBlock: false, unmask: false, unmaskRuntime: false };

it.each([
  [plain, [['start', '--', 'web']]],
  [{ ...plain, noBlock: true }, [['--no-block', 'start', '--', 'web']]],
  [
    { ...plain, unmask: true },
    [
      ['unmask', '--', 'web'],
      ['start', '--', 'web'],
    ],
  ],
  [
    { noBlock: true, unmask: true, unmaskRuntime: true },
    [
      ['unmask', '--', 'web'],
      ['--runtime', 'unmask', '--', 'web'],
      ['--no-block', 'start', '--', 'web'],
    ],
  ],
])('what systemctl is asked for with %j', (how, calls) => {
  expect(systemctlCalls('start', 'web', how)).toEqual(calls.map((words) => ['--no-ask-password', ...words]));
});

it.each([
  [undefined, 'list-unit-files'],
  ['enabled', 'list-unit-files --state=enabled'],
  ['disabled', 'list-unit-files --state=disabled'],
  ['running', 'list-units --plain --state=running'],
] as const)('what systemctl is asked for to list what is %s', (state, words) => {
  expect(listingWords(state).join(' ')).toMatch(new RegExp(`^${words} --type=service,\\S+ --no-legend`));
});

it('what starts with the host and what does not are all that can, each as it is told of alone', async () => {
  const all = await call('service.get_all');
  const [enabled, disabled] = [await call('service.get_enabled'), await call('service.get_disabled')];
  expect([enabled.success, disabled.success]).toEqual([all.success, all.success]);
  if (!all.success) expect([enabled.ret, disabled.ret]).toEqual([all.ret, all.ret]);
  for (const [{ ret }, fun] of [
    [enabled, 'enabled'],
    [disabled, 'disabled'],
  ] as const) {
    const names = isList(ret) ? ret : [];
    expect(isList(all.ret) ? all.ret : []).toEqual(expect.arrayContaining([...names]));
    for (const name of names.slice(0, 5)) expect((await call(`service.${fun}`, [name])).ret).toBe(true);
  }
});

it('systemd lists what runs, and where it does not run that is an error', async () => {
  const isSystemd = existsSync('/run/systemd/system');
  expect(await call('service.get_running')).toMatchObject({ success: isSystemd, retcode: isSystemd ? 0 : 1 });
});

it('each function has its parameters in the order of Salt', async () => {
  const masks = ['no_block', 'unmask', 'unmask_runtime'];
  const args = async (fun: string) => JSON.stringify((await call('sys.argspec', [fun])).ret);
  for (const fun of ['start', 'restart', 'reload', 'enable'])
    expect(await args(`service.${fun}`)).toContain(JSON.stringify({ args: ['name', ...masks] }).slice(1, -1));
  for (const fun of ['stop', 'disable']) expect(await args(`service.${fun}`)).toContain('"args":["name","no_block"]');
  expect(await args('service.status')).toContain('"args":["name","sig","wait"]');
});

it('they are taken, and whether there is such a service is what counts', async () => {
  for (const fun of ['start', 'stop', 'restart', 'reload', 'enable', 'disable'])
    expect((await call(`service.${fun}`, [NOBODY, named({ no_block: true })])).ret).toBe(
      `ERROR: there is no service ${NOBODY}`,
    );
  expect((await call('service.status', [NOBODY, 'nginx: master', named({ wait: 3 })])).ret).toBe(false);
});

it('a host without systemd has the scripts that can be run: no folder, no file of words, no link that leads nowhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natrium-init-'));
  try {
    for (const [name, mode] of [
      ['cron', 0o755],
      ['README', 0o644],
    ] as const) {
      // prettier-ignore
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), mode);
    }
    mkdirSync(join(folder, 'old'));
    symlinkSync('/nowhere/mended', join(folder, 'gone'));
    symlinkSync(join(folder, 'cron'), join(folder, 'crond'));
    expect([...(await scriptsIn(folder))].sort()).toEqual(['cron', 'crond']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
