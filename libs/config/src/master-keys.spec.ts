/** The names are those of the schema. */
import { MasterConfig } from './master-config.js';
import { MASTER_KEYS } from './master-keys.js';

it('every key of a master is among the names, and nothing else', () => {
  expect([...MASTER_KEYS]).toEqual(Object.keys(MasterConfig.shape).sort());
});
