/** The names are those of the schema. */
import { MasterConfig } from './master-config.js';
import { masterKeys } from './master-keys.js';

it('every key of a master is among the names, and nothing else', () => {
  expect(masterKeys()).toEqual(Object.keys(MasterConfig.shape).sort());
});
