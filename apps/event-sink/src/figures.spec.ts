/** Rules of the figures of an event-sink: each sink that is configured has all of its counters from the start on. */
import { ServiceMetrics } from '@natrium/edge';
import { figuresOf } from './figures.js';

it('counts for each sink of the configuration, from 0', async () => {
  const metrics = new ServiceMetrics('sink');
  const figures = figuresOf(metrics, ['history', 'hook'], [], () => 0);
  const told = async () => {
    const lines = (await metrics.registry.metrics()).split('\n').filter((line) => /^natrium_sink.*hook/.test(line));
    return lines.map((line) => line.replace(/^natrium_sink_(\w+)_total\{sink="hook",service="sink"\}/, '$1'));
  };
  expect(await told()).toEqual(['delivered 0', 'failed 0', 'refused 0']);
  figures('hook').count('refused', 500);
  expect(await told()).toEqual(['delivered 0', 'failed 0', 'refused 500']);
});
