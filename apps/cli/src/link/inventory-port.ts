/** The inventory of a running cluster, asked of the acl-service page by page. */
import type { MasterClient } from '@natrium/client';
import { isList, isMap, ok, type Refusal, refuse, type Result, type ValueMap } from '@natrium/model';
import type { MinionList } from '../ports.js';

export async function readInventory(client: Pick<MasterClient, 'admin'>): Promise<Result<MinionList, Refusal>> {
  const accepted: string[] = [];
  let cache: ValueMap = {};
  let after: string | undefined;
  do {
    const answer = await client.admin('audit', 'inventory.read', after === undefined ? [] : [{ after }]);
    if (!answer.ok) return answer;
    if (!isMap(answer.value)) return refuse('bad_request', 'the authority gave no inventory that can be read');
    const page: ValueMap = answer.value;
    const { accepted: ids, cache: more, next } = page;
    if (isList(ids)) accepted.push(...ids.filter((id) => typeof id === 'string'));
    if (isMap(more)) cache = { ...cache, ...more };
    // A page that goes nowhere would be asked for again and again.
    after = typeof next === 'string' && next !== after ? next : undefined;
  } while (after !== undefined);
  return ok({ accepted, cache });
}
