/** Rules of the grains that are sent: those that nobody took are sent again, those that somebody took are not. */
import { jest } from '@jest/globals';
import { clusterOf, decode, identityFrom, newIdentitySecret, type Signed, sodiumReady } from '@natrium/envelope';
import { err, ok, type ValueMap } from '@natrium/model';
import { type Logger, pino } from 'pino';
import { HostData } from './host-data.js';
import type { LiveLink } from '../link/live-link.js';

const TEN_MINUTES_MS = 600_000;
const lines: string[] = [];
const log: Logger = pino({}, { write: (line: string) => void lines.push(line) });
let data: HostData;

beforeAll(sodiumReady);
beforeEach(() => {
  jest.useFakeTimers();
  lines.length = 0;
});
afterEach(() => {
  data.stop();
  jest.useRealTimers();
});

/** A host whose grains change, and an acl-service that may be there. */
function aHost() {
  const host = {
    grains: { os: 'Debian' } as ValueMap,
    gathers: (_onFault: () => void) => ({ ...host.grains }),
    isAnswered: true,
    asked: [] as unknown[],
    link: undefined as unknown as LiveLink,
    untaken: 0,
  };
  const { publicKey, signing } = identityFrom(newIdentitySecret());
  const link = {
    steady: <T>(ask: () => T) => ask(),
    identity: { signing },
    own: { fp: 'fp', announced: null },
    roles: { cluster: clusterOf(publicKey) },
    clock: { now: () => Date.now() },
    subjects: { upAcl: () => 'data' },
    services: () => [],
    bus: {
      ask: ({ body }: { readonly body: { readonly data: Signed } }) => {
        const [, grains] = decode(body.data.bytes) as readonly unknown[];
        host.asked.push(grains);
        return Promise.resolve(host.isAnswered ? ok({ body: { pillar: {}, revision: 1 } }) : err('timeout'));
      },
    },
  } as unknown as LiveLink;
  // Anew each time, as a host's grains are gathered.
  host.link = link;
  data = new HostData(
    link,
    (onFault) => host.gathers(onFault),
    log,
    () => (host.untaken += 1),
  );
  return host;
}

const tenMinutes = () => jest.advanceTimersByTimeAsync(TEN_MINUTES_MS);

it('sends grains again that nobody took, though they have not changed since, until somebody takes them', async () => {
  const host = aHost();
  await data.send();
  host.grains = { os: 'Debian', role: 'web' };
  host.isAnswered = false;
  expect(await data.grains()).toBe(false);
  await tenMinutes();
  // Each time it is asked whether this minion is still known.
  expect(host.untaken).toBe(2);
  host.isAnswered = true;
  await tenMinutes();
  expect(host.untaken).toBe(2);
  const changed = { os: 'Debian', role: 'web' };
  expect(host.asked).toEqual([{ os: 'Debian' }, changed, changed, changed]);
  await tenMinutes();
  expect(host.asked).toHaveLength(4);
});

it('sends grains that have changed within ten minutes, and no others', async () => {
  const host = aHost();
  await data.send();
  await tenMinutes();
  expect(host.asked).toHaveLength(1);
  host.grains = { os: 'Devuan' };
  await tenMinutes();
  await tenMinutes();
  expect(host.asked).toEqual([{ os: 'Debian' }, { os: 'Devuan' }]);
});

const nested = (levels: number): ValueMap => (levels === 0 ? {} : { in: nested(levels - 1) });

it.each<[string, string, ValueMap]>([
  ['nested too deeply', 'are nested too deeply to be sent', nested(22)],
  ['more than 1 MiB', 'are more than 1 MiB', { text: 'x'.repeat(1 << 20) }],
  ['more than 100,000 values', 'than 100,000 values', { all: Array.from({ length: 99_999 }, () => ({})) }],
])(
  'goes on with the grains that it has where those of now are %s, and begins with none such',
  async (_, why, grains) => {
    const host = aHost();
    await data.send();
    host.grains = grains;
    expect(await data.grains()).toBe(false);
    expect(data.currentGrains()).toEqual({ os: 'Debian' });
    await data.send(); // as for a new epoch
    expect(host.asked).toEqual(Array(host.asked.length).fill({ os: 'Debian' }));
    data.stop();
    data = new HostData(host.link, () => grains, log);
    await expect(data.send()).rejects.toThrow(why);
  },
);

it('sends grains again that are what they were before nobody took others: those may have come through', async () => {
  const host = aHost();
  await data.send();
  host.grains = { os: 'Devuan' };
  host.isAnswered = false;
  await data.grains();
  host.grains = { os: 'Debian' };
  host.isAnswered = true;
  await tenMinutes();
  expect(host.asked).toEqual([{ os: 'Debian' }, { os: 'Devuan' }, { os: 'Debian' }]);
});

it('keeps its grains while the host cannot be looked at, and says so; what has changed is sent once it can be', async () => {
  const host = aHost();
  await data.send();
  const { gathers } = host;
  host.grains = { os: 'Devuan' };
  host.gathers = () => {
    throw new Error('EMFILE: too many open files');
  };
  await tenMinutes();
  expect(await data.grains()).toBe(false);
  expect(data.currentGrains()).toEqual({ os: 'Debian' });
  const errors = lines.filter((line) => line.includes('"err"'));
  expect(errors).toHaveLength(2);
  for (const line of errors)
    expect(line).toMatch(/EMFILE: too many open files.*could not be gathered; those from before stay/);
  host.gathers = gathers;
  await tenMinutes();
  expect(host.asked.at(-1)).toEqual({ os: 'Devuan' });
});

it('sends what there is where a part of it could not be read, and says that this is not all', async () => {
  const host = aHost();
  await data.send();
  host.grains = { os: 'Devuan' };
  const { gathers } = host;
  host.gathers = (onFault) => {
    onFault();
    return gathers(onFault);
  };
  expect(await data.grains()).toBe(false);
  host.gathers = gathers;
  expect(await data.grains()).toBe(true);
  expect(host.asked).toEqual([{ os: 'Debian' }, { os: 'Devuan' }, { os: 'Devuan' }]);
});

it('does not begin without its first grains', () => {
  const nobody = {} as LiveLink;
  const gather = () => {
    throw new Error('EMFILE: too many open files');
  };
  expect(() => new HostData(nobody, gather, log)).toThrow('EMFILE: too many open files');
});
