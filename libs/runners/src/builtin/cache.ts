/**
 * `cache.*`: what the authority holds of accepted minions, connected or not. Nothing is published.
 *
 * Diverges: pillar is told only to an account with full access; the authority itself refuses everybody else.
 */
import { defineModule } from '@natrium/modules';
import { MINE } from './mine.js';
import { notHere, allNotHere } from '../not-here.js';
import { runner } from '../runner-registry.js';
import { TARGET_PARAMS, targetOf } from '../target.js';

const TOLD =
  'what minions have told of themselves counts in permissions, and gives way to what they tell next: saltutil.refresh_grains and saltutil.refresh_pillar have them tell it';
const ITS_MINE = 'a minion takes back itself what it keeps in the mine, with mine.flush and mine.delete';
const BANKS = 'the master has no banks of data for runners to write and read';

export const cacheModule = defineModule('cache', {
  grains: runner(
    {
      doc: 'The grains that accepted minions told last, connected or not.',
      params: TARGET_PARAMS,
      returns: 'a map by minion; an empty one for a minion that has not told any',
      examples: ['cache.grains', "cache.grains 'web*'"],
    },
    (of, { master }) => master.cached('grains', targetOf(of)),
  ),
  pillar: runner(
    {
      doc: 'The pillar of accepted minions. Only an account with full access is told.',
      params: TARGET_PARAMS,
      returns: 'a map by minion',
      examples: ['cache.pillar', 'cache.pillar web1'],
    },
    (of, { master }) => master.cached('pillar', targetOf(of)),
  ),
  mine: notHere(MINE, 'cache.mine'),
  ...allNotHere(TOLD, 'cache', ['clear_grains', 'clear_pillar', 'clear_all']),
  ...allNotHere(ITS_MINE, 'cache', ['clear_mine', 'clear_mine_func']),
  clear_git_lock: notHere('nothing is fetched with git, and so nothing locks it', 'cache.clear_git_lock'),
  ...allNotHere(BANKS, 'cache', ['cloud', 'store', 'list', 'fetch', 'flush']),
});
