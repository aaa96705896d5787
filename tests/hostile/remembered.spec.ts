/** What an agent remembers against replays takes memory: once its work is over it forgets what no party would accept any more. */
import { jest } from '@jest/globals';
import { until } from '@natrium/testing';
import { LiveLink } from '../../apps/minion-agent/src/link/live-link.js';
import { RunRecord } from '../../apps/minion-agent/src/disk/run-record.js';
import { World } from './world.js';

it('of runs and of messages', async () => {
  jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 }); // it rests, whatever this process does
  const forgotten = [RunRecord.prototype, LiveLink.prototype].map((part) => jest.spyOn(part, 'forgetEnded'));
  const world = await World.start();
  try {
    await until('it was looked at', () => forgotten.every(({ mock }) => mock.calls.length > 0));
  } finally {
    await world.stop();
    jest.restoreAllMocks();
  }
});
