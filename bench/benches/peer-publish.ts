/** The main job: a minion asks, the gate decides, three minions run and answer. */
import { isDeepStrictEqual } from 'node:util';
import type { Bench } from '../bench.js';
import { MINIONS } from '../cluster.js';
import { measurePeerCall } from '../peer-call.js';
import type { Step } from '../path-steps.js';

const STEPS: readonly Step[] = [
  { name: 'caller: socket, sign, seal → gateway', until: 'publish', take: 'first' },
  { name: 'gateway: open, ask → acl', until: 'grant', take: 'first' },
  { name: 'acl: verify, decide, audit, grant → gateway', until: 'grant answer', take: 'first' },
  // The job was written meanwhile.
  { name: 'gateway: open, seal, fan out → minions', until: 'job', take: 'last' },
  { name: 'minions: verify, run, seal; first → gateway', until: 'return', take: 'first' },
  { name: 'minions: until the last of three returns', until: 'return', take: 'last' },
  { name: 'gateway: open return, seal news → caller', until: 'publish answer', take: 'last' },
];

const EXPECTED = Object.fromEntries(MINIONS.map((id) => [id, true]));

export const peerPublish: Bench = {
  name: 'peer-publish',
  about: 'publish.publish * test.ping from one minion to three, one at a time, beside raw; with its steps',
  measure: (run) =>
    measurePeerCall(run, {
      fun: 'publish.publish',
      args: ['*', 'test.ping'],
      steps: STEPS,
      back: 'caller: open, gather, socket',
      check: (ret) => {
        if (!isDeepStrictEqual(ret, EXPECTED)) throw new Error(`not every minion answered: ${JSON.stringify(ret)}`);
      },
    }),
};
