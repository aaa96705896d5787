/** How `up` learns that all is ready: every minion answers a `test.ping` to the account that its operator has. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '@natrium/model';
import type { MasterLink } from '../ports.js';
import { AGAIN_MS, inVain, passingOf, type Young } from './young.js';

const TIMEOUT_S = 5;

/** @throws {Error} When it is refused for a reason that stays, or one does not answer: in time, or because a process has ended. */
export async function allAnswer(link: Pick<MasterLink, 'publish'>, young: Young): Promise<void> {
  if (young.ids.length === 0) return;
  let why = '';
  for (const until = young.now() + young.waitMs; young.now() < until;) {
    const { back, refused } = await pinged(link, young.ids);
    if (refused === undefined && young.ids.every((id) => back.has(id))) return;
    why = refused === undefined ? 'not every minion answered test.ping' : passingOf(refused, young);
    if (!young.isWhole()) break;
    await pause(AGAIN_MS);
  }
  throw inVain(why, young);
}

async function pinged(link: Pick<MasterLink, 'publish'>, ids: readonly string[]) {
  const back = new Set<string>();
  let refused: Refusal | undefined;
  const ask = {
    tgt: [...ids], tgtType: 'list', funs: ['test.ping'], args: [[]], timeout: TIMEOUT_S,
    returner: '', returnerOptions: {}, options: {},
  }; // prettier-ignore
  for await (const news of link.publish(ask)) {
    if (news.type === 'return') back.add(news.id);
    if (news.type === 'refused') refused = news.refusal;
  }
  return { back, refused };
}
