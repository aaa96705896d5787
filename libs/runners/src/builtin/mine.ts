/** `mine.*`: the mine is read by minions, of whom an item's `allow_tgt` speaks; nobody who runs a runner is one. */
import { defineModule } from '@natrium/modules';
import { notHere } from '../not-here.js';

export const MINE = 'what minions keep in the mine they keep for minions, who read it with mine.get';

export const mineModule = defineModule('mine', {
  get: notHere(MINE, 'mine.get'),
  update: notHere("each minion renews its mine itself: natrium '*' mine.update tells it to", 'mine.update'),
});
