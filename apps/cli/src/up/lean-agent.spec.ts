/** Rules of an agent's command line: the same wherever it is started, and nothing in it that a newer Node does not know. */
import { readFileSync } from 'node:fs';
import { inRoot } from '../../../../tests/support/places.js';
import { LEAN_AGENT } from './lean-agent.js';

/** Tried with Node 20, 22 and 24; one that a Node does not know ends it at once. */
const KNOWN = [
  '--max-semi-space-size',
  '--v8-pool-size',
  '--heap-growing-percent',
  '--expose-gc',
  '--compact-on-every-full-gc',
];

const flagsIn = (line: string | undefined) => (line ?? '').match(/--[\w-]+(?:=\w+)?/g);

it('is the same in the unit and in the image', () => {
  const unit = readFileSync(inRoot('systemd/natrium-minion.service'), 'utf8');
  const image = readFileSync(inRoot('Dockerfile'), 'utf8');
  expect(flagsIn(/^ExecStart=.*$/m.exec(unit)?.[0])).toEqual(LEAN_AGENT.flags);
  expect(flagsIn(/^ENTRYPOINT .*minion-agent.*$/m.exec(image)?.[0])).toEqual(LEAN_AGENT.flags);
});

it('holds only flags that were tried', () => {
  expect(LEAN_AGENT.flags.map((flag) => flag.split('=')[0])).toEqual(KNOWN);
});
