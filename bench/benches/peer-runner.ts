/** A minion asks for a runner that asks every minion whether it is there. */
import { isDeepStrictEqual } from 'node:util';
import type { Bench } from '../bench.js';
import { MINIONS } from '../cluster.js';
import { measurePeerCall } from '../peer-call.js';
import type { Step } from '../path-steps.js';

const STEPS: readonly Step[] = [
  { name: 'caller: socket, sign, seal → gateway', until: 'runner', take: 'first' },
  { name: 'gateway: open, ask → acl', until: 'grant', take: 'first' },
  { name: 'acl: verify, decide, audit, grant → gateway', until: 'grant answer', take: 'first' },
  { name: 'gateway: open, hand over → runner-service', until: 'run', take: 'first' },
  { name: 'runner: verify, take the run → store', until: 'write runs', take: 'first' },
  { name: 'broker: write run with fsync → runner', until: 'write runs answer', take: 'first' },
  { name: 'runner: start manage.up, ask → gateway', until: 'read', take: 'last' },
  { name: 'gateway: verify, ask presence → minions', until: 'job', take: 'last' },
  { name: 'minions: all say that they are here → gateway', until: 'job answer', take: 'last' },
  { name: 'gateway: open, answer reads → runner', until: 'read answer', take: 'last' },
  { name: 'runner: outcome → gateway', until: 'run answer', take: 'last' },
  { name: 'gateway: open, answer → caller', until: 'runner answer', take: 'last' },
];

export const peerRunner: Bench = {
  name: 'peer-runner',
  about: 'publish.runner manage.up from one minion, one at a time, beside raw; with its steps',
  measure: (run) =>
    measurePeerCall(run, {
      fun: 'publish.runner',
      args: ['manage.up'],
      steps: STEPS,
      back: 'caller: open, socket',
      check: (ret) => {
        if (!isDeepStrictEqual(ret, MINIONS)) throw new Error(`not every minion is up: ${JSON.stringify(ret)}`);
      },
    }),
};
