/**
 * `cache.*`: what the authority holds of accepted minions, connected or not. Nothing is published.
 *
 * Diverges: pillar is told only to an account with full access; the authority itself refuses everybody else.
 */
import { defineModule } from '@natrium/modules';
import { absent } from './not-here.js';
import { runner } from './runner-registry.js';
import { OF, targetOf } from './target.js';

/** Diverges: an item's `allow_tgt` names minions, and nobody who runs a runner is one. */
const MINE = 'what minions keep in the mine they keep for minions, who read it with mine.get';

export const cacheModule = defineModule('cache', {
  grains: runner(
    {
      doc: 'The grains that accepted minions told last, connected or not.',
      params: OF,
      returns: 'a map by minion; an empty one for a minion that has not told any',
      examples: ['cache.grains', "cache.grains 'web*'"],
    },
    (of, { master }) => master.cached('grains', targetOf(of)),
  ),
  pillar: runner(
    {
      doc: 'The pillar of accepted minions. Only an account with full access is told.',
      params: OF,
      returns: 'a map by minion',
      examples: ['cache.pillar', 'cache.pillar web1'],
    },
    (of, { master }) => master.cached('pillar', targetOf(of)),
  ),
  mine: absent(MINE, 'cache.mine'),
});
