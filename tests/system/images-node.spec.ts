/** What hangs together with Node's own memory and processes, with the Node that the images have. */
import { imagesNode } from '../compose/parts.js';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';

const LONG_MS = 200_000;

it('modules of the user start, and keep to their limits', async () => {
  const jest = ['--experimental-vm-modules', inRoot('node_modules/jest/bin/jest.js')];
  const words = [...jest, '-c', inRoot('jest.system.config.mjs'), 'apps/minion-agent/src/execution/own-modules'];
  const { code, stderr } = await runProgram(imagesNode(), words, { cwd: inRoot(), timeoutMs: LONG_MS });
  expect({ code, failed: stderr.match(/●.*/g), passed: /^Tests: +\d+ passed/m.test(stderr) }).toEqual({
    code: 0,
    failed: null,
    passed: true,
  });
});
