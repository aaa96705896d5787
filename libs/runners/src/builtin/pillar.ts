/** `pillar.*`: what a minion's pillar is, `cache.pillar` tells, and whom, the authority decides. One door is enough. */
import { defineModule } from '@natrium/modules';
import { notHere } from '../not-here.js';

const WHERE = 'cache.pillar tells the pillar of accepted minions, to an account with full access';

export const pillarModule = defineModule('pillar', {
  show_pillar: notHere(WHERE, 'pillar.show_pillar'),
  show_top: notHere(WHERE, 'pillar.show_top'),
});
