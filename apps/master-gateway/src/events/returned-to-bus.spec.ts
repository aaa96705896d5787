/** Rules of `master_bus`: which tag a return has, and which it can never have. */
import type { Request } from '@natrium/model';
import { busTagOf } from './returned-to-bus.js';

const asked = (returner: string, tag?: string) =>
  ({ returner, returnerOptions: tag === undefined ? {} : { tag } }) as unknown as Request;

it.each([
  ['master_bus', 'monitoring', 'monitoring/web1'],
  ['local_file, master_bus', 'monitoring/', 'monitoring/web1'],
  ['master_bus', undefined, 'returns/web1'],
])('%s with the tag %s is %s', (returner, tag, whole) => {
  expect(busTagOf(asked(returner, tag), 'web1')).toBe(whole);
});

it.each([
  ['local_file', 'monitoring'],
  ['', 'monitoring'],
  ['master_bus', 'salt/job/20261120141646000001/ret'],
  ['master_bus', 'natrium/gap'],
  ['master_bus', 'minion/refresh'],
  ['master_bus', 'line\nbreak'],
])('%s with the tag %s fires nothing', (returner, tag) => {
  expect(busTagOf(asked(returner, tag), 'web1')).toBeUndefined();
});
