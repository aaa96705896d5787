/**
 * Events that other services have for the bus. Each role fires what is its own: the acl-service of keys, a runner whatever is
 * not Salt's own word, and only with the grant-run that started it. What such an event came of, the grant-run says and the runner does not:
 * whoever may run one that fires events chooses their data.
 *
 * Each is stored at the place that its service gave it before it is answered: whichever gateways are asked for it, and however often, the
 * bus has it once.
 *
 * Spec: spec/wire.md#fire.
 */
import { type Opened, readAsked, Unstorable } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { toHex } from '@natrium/envelope';
import {
  EventProblem,
  type EventLog,
  type Origin,
  runnerTagProblem,
  sized,
  stampOf,
  withoutStamp,
} from '@natrium/events';
import { causeOf, withCause } from '@natrium/flow';
import { isMap, ok, refusal, type Refusal, refuse, type Result, type Value } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';

type Fire = Opened<typeof contracts.fire>;

const OF_THE_ACL = new Set(['salt/auth', 'salt/key']);

/** Who fires an event, as it was proved, and what that came of. */
interface Firing {
  readonly origin: Origin;
  readonly cause: Value | undefined;
}

export class ServiceEvents {
  constructor(
    private readonly link: RoleLink,
    private readonly log: Pick<EventLog, 'append'>,
    /** Largest data of an event in bytes. */
    private readonly maxBytes: number,
    private readonly onProblem: (problem: string, cause: unknown) => void,
  ) {}

  async handle(opened: Fire): Promise<Body<typeof contracts.fired>> {
    const firing = this.#firingOf(opened);
    if (!firing.ok) return { refusal: firing.error };
    try {
      await this.#store(opened.body, firing.value);
      return { refusal: null };
    } catch (error) {
      if (error instanceof EventProblem) return { refusal: refusal('bad_request', error.message) };
      if (error instanceof Unstorable)
        return { refusal: refusal('bad_request', `the event cannot be stored: ${error.message}`) };
      this.onProblem('the event of a service could not be stored, and is asked for again', error);
      return { refusal: refusal('store_unavailable', 'the broker takes no events now; fire it again later') };
    }
  }

  async #store({ tag, data, lane, number }: Fire['body'], { origin, cause }: Firing): Promise<void> {
    if (!isMap(data)) throw new EventProblem('the data of an event is a map');
    const fitting = sized(withoutStamp(withCause(data, cause)), this.maxBytes).data;
    const event = { number, tag, data: fitting, origin, stamp: stampOf(this.link.clock.now()) };
    await this.log.append(`service-${toHex(lane)}`, [event], number);
  }

  #firingOf({ body: { tag, grantRun }, party }: Fire): Result<Firing, Refusal> {
    const role = party.owner.type === 'role' ? party.owner.role : '';
    if (role === 'acl') {
      if (OF_THE_ACL.has(tag)) return ok({ origin: { kind: 'service', name: 'acl' }, cause: undefined });
      return refuse('not_permitted', `the acl-service does not fire ${tag}`);
    }
    if (role !== 'runner') return refuse('not_permitted', `the role ${role} fires no events`);
    const proved = checkGrantRun(this.link, grantRun);
    if (!proved.ok) return proved;
    const problem = runnerTagProblem(tag);
    if (problem !== undefined) return refuse('not_permitted', `a runner may not fire ${tag}: ${problem}`);
    const request = grantRun === null ? undefined : readAsked(grantRun.request);
    const cause = request === undefined ? undefined : causeOf(request, proved.value.caller);
    return ok({ origin: { kind: 'runner', name: request?.funs[0] ?? 'runner' }, cause });
  }
}
