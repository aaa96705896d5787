/** Rules of joining again: what runs goes on, its return and events leave; only what an earlier process left is told as interrupted. */
import { jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_TRACING } from '@natrium/bus';
import type { MinionConfig } from '@natrium/config';
import { sodiumReady, toHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import { pino } from 'pino';
import { Execution } from './execution/execution.js';
import { beginRecord, recordFolder } from './disk/run-record.js';
import { Kept } from './kept.js';
import type { LiveLink } from './link/live-link.js';

const DIGEST = '1'.padStart(64, '0');
const JID = parseJid('20261120141646000001')!;
const RETURN: MinionReturn = {
  jid: JID, digest: DIGEST, instance: 'gw1', status: 'done', code: null,
  outcome: { ret: true, retcode: 0, success: true, out: null },
}; // prettier-ignore

interface Told {
  readonly over: string;
  readonly digest: string;
  readonly status: string;
}

let folder: string;
let kept: Kept;
let told: Told[];
/** What the log says of trouble. */
let problems: string[];
/** What each link calls when the broker is back. */
let isAway: boolean;
let backs: (() => void)[];
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-kept-'));
  beginRecord(recordFolder({ cachedir: folder }));
  problems = [];
  kept = aProcess();
  told = [];
  backs = [];
  isAway = false;
});
afterEach(() => {
  kept.close();
  rmSync(folder, { recursive: true, force: true });
});

const aProcess = () =>
  new Kept(
    {
      id: 'web1', cachedir: folder, sock_dir: folder, clock_skew: 30, hash_type: 'sha256',
      max_event_size: 1 << 20, spool_max_events: 100, spool_max_bytes: 1 << 20, keep_returns: 24,
    } as MinionConfig,
    pino({ level: 'error' }, { write: (line) => void problems.push((JSON.parse(line) as { readonly msg: string }).msg) }),
  ); // prettier-ignore

interface Return {
  readonly digest: Uint8Array;
  readonly status: string;
}
interface Events {
  readonly first: number;
  readonly events: readonly { readonly tag: string }[];
}

/** A link to a gateway that stores what it is told. */
function aLink(over: string): LiveLink {
  const ask = ({ body }: { readonly body: Events }) => {
    for (const { tag } of body.events) told.push({ over, digest: '', status: tag });
    return Promise.resolve(ok({ body: { through: body.first + body.events.length - 1 } }));
  };
  const deliver = ({ body }: { readonly body: Return }) => {
    told.push({ over, digest: toHex(body.digest), status: body.status });
    return Promise.resolve(isAway ? err('timeout') : ok(undefined));
  };
  return {
    own: { fp: 'fp' },
    subjects: { upReturn: () => 'here', up: () => 'any.return' },
    directory: { instance: () => undefined, role: () => [] },
    bus: { tracing: NO_TRACING, ask, deliver },
    steady: <T>(asked: () => Promise<T>) => asked(),
    whenBack: (back: () => void) => backs.push(back),
  } as unknown as LiveLink;
}

/** An agent comes in over this link, and sends what is left. */
function comeIn(over: string) {
  const files = kept.files();
  const outbox = kept.outboxOn(aLink(over), files);
  outbox.sendSpooled();
  return { ...files, outbox };
}

/** What has come until this word is among it. */
function heard(socket: Socket, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const on = (part: string) => {
      text += part;
      if (!text.includes(word)) return;
      socket.off('data', on);
      resolve(text);
    };
    socket.on('data', on).once('close', () => {
      reject(new Error(`cut off after: ${text}`));
    });
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async () => {
  for (let left = 20; left > 0; left -= 1) await turn();
};
const later = () => kept.clock.now() + 60_000;

it('a job that runs while the agent joins again is not told as interrupted, and its return leaves over the new link', async () => {
  const first = comeIn('first');
  first.record.start(DIGEST, later(), JID);
  first.outbox.close();
  const second = comeIn('second');
  await turn();
  expect(told).toEqual([]);
  expect(second.record.admit(DIGEST, kept.clock.now(), kept.clock.now() + 1000)).toBe('running');
  kept.deliver(RETURN, 1);
  second.record.ran(DIGEST);
  await turn();
  expect(told).toEqual([{ over: 'second', digest: DIGEST, status: 'done' }]);
  expect(second.spool.all()).toEqual([]);
});

/** A run that ends after its link has gone. */
async function returnsWithoutLink() {
  const first = comeIn('first');
  first.record.start(DIGEST, later(), JID);
  first.outbox.close();
  kept.deliver(RETURN, 1);
  first.record.ran(DIGEST);
  await turn();
  return first;
}

it('a return that comes while no link is live waits for the next one', async () => {
  await returnsWithoutLink();
  expect(told).toEqual([]);
  comeIn('second');
  await turn();
  expect(told).toEqual([{ over: 'second', digest: DIGEST, status: 'done' }]);
});

it('a return that waits leaves over the link of now as soon as the broker is back, and not over the one before', async () => {
  const first = comeIn('first');
  const second = comeIn('second');
  isAway = true;
  kept.deliver(RETURN, 1);
  await turn();
  isAway = false;
  expect(second.spool.all()).toEqual([RETURN]);
  first.outbox.close();
  told = [];
  for (const back of backs) back();
  await turn();
  second.outbox.close();
  expect(told).toEqual([{ over: 'second', digest: DIGEST, status: 'done' }]);
  expect(second.spool.all()).toEqual([]);
});

it('what runs is known to the agent that joined again', () => {
  const data = {
    currentGrains: () => ({}),
    currentPillar: () => ({}),
    grains: async () => true,
    pillar: async () => true,
  };
  const [one, next] = [1, 2].map(
    () => new Execution({ id: 'web1', data, config: {}, master: undefined, jobs: kept.jobs }),
  );
  one?.jobs.begin({ jid: JID, fun: 'test.sleep', arg: [], tgt: '*', tgtType: 'glob', ret: '', user: 'root', pid: 1 });
  expect(next?.running()).toContain(JID);
});

it('what an earlier process began and did not return is told as interrupted, once', async () => {
  comeIn('first').record.start(DIGEST, later(), JID);
  kept.close();
  kept = aProcess();
  const { outbox } = comeIn('second');
  await turn();
  outbox.close();
  comeIn('third');
  await turn();
  expect(told).toEqual([{ over: 'second', digest: DIGEST, status: 'interrupted' }]);
});

it.each([
  ['within keep_returns is sent after a restart', 23, [{ over: 'second', digest: DIGEST, status: 'done' }]],
  ['is dropped after keep_returns, and not told as interrupted, neither after the next restart', 24, []],
])('a return that nobody stored %s', async (_about, hours, sent) => {
  const first = comeIn('first');
  first.record.start(DIGEST, later(), JID);
  first.outbox.close();
  kept.deliver(RETURN, 1);
  first.record.ran(DIGEST);
  const at = kept.clock.now() + hours * 3_600_000;
  for (const over of ['second', 'third']) {
    kept.close();
    kept = aProcess();
    kept.clock.raiseFloor(at);
    const { outbox } = comeIn(over);
    await turn();
    outbox.close();
  }
  expect(told).toEqual(sent);
});

it('a return that a living agent drops is over: it is not told as interrupted after the next start', async () => {
  const first = await returnsWithoutLink();
  const later24h = performance.now() + 24 * 3_600_000;
  const uptime = jest.spyOn(performance, 'now').mockReturnValue(later24h);
  expect(first.spool.get(DIGEST)).toBeUndefined();
  uptime.mockRestore();
  kept.close();
  kept = aProcess();
  comeIn('second');
  await turn();
  expect(told).toEqual([]);
});

it('a part that cannot be closed is told, and keeps no other from being closed', () => {
  const { record, spool } = comeIn('first');
  const closed = jest.spyOn(spool, 'close');
  jest.spyOn(record, 'close').mockImplementationOnce(() => {
    throw new Error('EIO: close');
  });
  kept.close();
  expect([closed.mock.calls.length, problems]).toEqual([
    1,
    ['what has run or waits may not all be kept for the next start'],
  ]);
});

it('the spool has room for returns in half of spool_max_bytes, and for events in the other', async () => {
  const { spool } = comeIn('first');
  const outcome = { ...RETURN.outcome, ret: 'x'.repeat(180_000) };
  const digests = ['1', '2', '3', '4'].map((n) => n.padStart(64, '0'));
  for (const digest of digests) spool.put({ ...RETURN, digest, outcome });
  expect(spool.all().map(({ digest }) => digest)).toEqual(digests.slice(1));
  const { port } = await kept.events();
  await port.fireMaster('x'.repeat(400_000), 'mine/first');
  await expect(port.fireMaster('x'.repeat(400_000), 'mine/second')).rejects.toThrow('the spool of this minion is full');
});

it('what a job fires after its link has gone leaves over the next one, and what it asks for is answered', async () => {
  const events = await kept.events();
  const job = events.port;
  events.begin(aLink('first'));
  await turns();
  events.rest();
  told = [];
  await job.fireMaster('still here', 'mine/later');
  await turns();
  expect(told).toEqual([]);
  expect(await kept.events()).toBe(events);
  events.begin(aLink('second'));
  await turns();
  expect(told.map(({ over, status }) => `${over} ${status}`)).toEqual([
    'second mine/later',
    'second minion_start',
    'second salt/minion/web1/start',
  ]);
});

it('a script at the bus of this host goes on hearing while the agent joins again', async () => {
  const events = await kept.events();
  events.begin(aLink('first'));
  const socket = connect(join(folder, 'minion_event.sock'));
  socket.setEncoding('utf8').write('{"subscribe":"mine/"}\n');
  await heard(socket, '"subscribed"');
  events.rest();
  events.begin(aLink('second'));
  await (await kept.events()).port.fire({ here: 1 }, 'mine/now');
  expect(await heard(socket, 'mine/now')).toContain('"here":1');
  socket.destroy();
});
