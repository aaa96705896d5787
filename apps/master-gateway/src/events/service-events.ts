/**
 * Events that other services have for the bus. Each role fires what is its own: the acl-service of keys, a runner whatever is
 * not Salt's own word, and only with the grant-run that started it.
 */
import { type Opened, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { EventProblem, type EventFeed, NotStored, runnerTagProblem, type Origin } from '@natrium/events';
import { CAUSE, CAUSE_KEY } from '@natrium/flow';
import { fromPlain, isMap, ok, refusal, type Refusal, refuse, type Result, type ValueMap } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';

type Fire = Opened<typeof contracts.fire>;

const OF_THE_ACL = new Set(['salt/auth', 'salt/key']);

export class ServiceEvents {
  constructor(
    private readonly link: RoleLink,
    private readonly feed: EventFeed,
  ) {}

  async handle(opened: Fire): Promise<Body<typeof contracts.fired>> {
    const { tag, data } = opened.body;
    const origin = this.#originOf(opened);
    if (!origin.ok) return { refusal: origin.error };
    try {
      if (!isMap(data)) throw new EventProblem('the data of an event is a map');
      await this.feed.fire(tag, { ...data, ...causeOf(opened) }, origin.value);
      return { refusal: null };
    } catch (error) {
      if (error instanceof NotStored) return { refusal: refusal('store_unavailable', error.message) };
      if (error instanceof EventProblem) return { refusal: refusal('bad_request', error.message) };
      throw error;
    }
  }

  #originOf({ body: { tag, grantRun }, party }: Fire): Result<Origin, Refusal> {
    const role = party.owner.type === 'role' ? party.owner.role : '';
    if (role === 'acl') {
      if (OF_THE_ACL.has(tag)) return ok({ kind: 'service', name: 'acl' });
      return refuse('not_permitted', `the acl-service does not fire ${tag}`);
    }
    if (role !== 'runner') return refuse('not_permitted', `the role ${role} fires no events`);
    const proved = checkGrantRun(this.link, grantRun);
    if (!proved.ok) return proved;
    const problem = runnerTagProblem(tag);
    if (problem !== undefined) return refuse('not_permitted', `a runner may not fire ${tag}: ${problem}`);
    const request = grantRun === null ? undefined : readAsked(grantRun.request);
    return ok({ kind: 'runner', name: request?.funs[0] ?? 'runner' });
  }
}

/** A runner that the reactor set off says so in what it fires. */
function causeOf({ body: { grantRun } }: Fire): ValueMap {
  const cause = grantRun === null ? undefined : readAsked(grantRun.request)?.options[CAUSE];
  return cause === undefined ? {} : { [CAUSE_KEY]: fromPlain(cause) };
}
