/** Rules of whose word counts when the bus says that a minion has returned. */
import { LocalBus, type Origin } from '@natrium/events';
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import type { records } from '@natrium/wire';
import { JobEvents } from './job-events.js';
import { whenReturnedElsewhere } from './returned-elsewhere.js';

const JID = '20261120141646000001';
const GATEWAY = { kind: 'service', name: 'gateway' } as const;
const TAG = `salt/job/${JID}/ret/web1`;
beforeAll(sodiumReady);

type Fired = Pick<records.StoredEvent, 'tag' | 'origin'>;

/** @returns Whose returns gateway `gw-here` takes for stored elsewhere when it hears these of a sender. */
function heardFrom(sender: string, ...fired: readonly Fired[]): readonly string[] {
  const announced: string[] = [];
  const events = fired.map((one, number) => ({ ...one, number, data: {}, stamp: '' }));
  const whenHeard: Parameters<typeof whenReturnedElsewhere>[0]['whenHeard'] = (hear) => {
    hear({ sequence: 1, sender, through: events.length, events });
  };
  whenReturnedElsewhere({ whenHeard }, 'gw-here', { announced: (jid, id) => announced.push(`${jid} ${id}`) });
  return announced;
}

/** As a gateway says it. */
function announcedOf(id: string): Fired {
  const fired: Fired[] = [];
  const bus = new LocalBus('local', () => 0);
  const announce = (tag: string, _: unknown, origin: Origin) => fired.push({ tag, origin });
  const request = encodeRequest({
    id: new Uint8Array(16), what: 'job', funs: ['test.ping'], args: [[]], tgt: '*', tgtType: 'glob', returner: '',
    returnerOptions: {}, timeout: 5, options: {}, issued: 1, lifetime: 1,
  }); // prettier-ignore
  const record = { request, jid: JID, caller: { kind: 'account', name: 'alice' } } as unknown as records.JobRecord;
  const outcome = { ret: true, retcode: 0, success: true, out: null };
  new JobEvents(Object.assign(bus, { announce }), 1 << 20).returned(record, {
    jid: JID,
    id,
    status: 'done',
    outcome,
    at: 0,
  });
  const [one] = fired;
  if (one === undefined) throw new Error('nothing was announced');
  return one;
}

it('another gateway’s announcement of a return counts, each of them', () => {
  const heard = heardFrom('gw-there', announcedOf('web1'), announcedOf('db.example.org'));
  expect(heard).toEqual([`${JID} web1`, `${JID} db.example.org`]);
});

it('this gateway’s own does not: it has told what it stored', () => {
  expect(heardFrom('gw-here', announcedOf('web1'))).toEqual([]);
});

it('nobody else’s word counts under that tag: no minion’s, runner’s, reactor’s or other service’s, nor of who may open a socket', () => {
  const origins: readonly Origin[] = [
    { kind: 'minion', name: 'gateway' },
    { kind: 'runner', name: 'gateway' },
    { kind: 'reactor', name: 'gateway' },
    { kind: 'account', name: 'gateway' },
    { kind: 'local', name: 'gateway' },
    { kind: 'service', name: 'acl' },
  ];
  for (const origin of origins) expect(heardFrom('gw-there', { tag: TAG, origin })).toEqual([]);
  expect(heardFrom('gw-there', { tag: TAG, origin: GATEWAY })).toEqual([`${JID} web1`]);
});

it('nothing else that a gateway says counts', () => {
  const tags = [
    JID,
    `salt/job/${JID}/new`,
    `salt/run/${JID}/ret`,
    `returns/${TAG}`,
    `salt/job/1/ret/web1`,
    `salt/job/${JID}/ret/`,
  ];
  for (const tag of tags) expect(heardFrom('gw-there', { tag, origin: GATEWAY })).toEqual([]);
});
