import { userInfo } from 'node:os';
import { aCall } from '../testing/call-context.js';
import { toolOutput } from './run-tool.js';

it('a tool has the home of the account that it runs as, whatever the environment says', async () => {
  const home = process.env['HOME'];
  process.env['HOME'] = '/nowhere';
  try {
    expect(await toolOutput('sh', ['-c', 'echo "$HOME"'], aCall())).toBe(`${userInfo().homedir}\n`);
  } finally {
    process.env['HOME'] = home;
  }
});
