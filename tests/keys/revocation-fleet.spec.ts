/**
 * Promise 12 with many: a key is taken away in the middle of a job to a fleet. The broker ends it, the caller hears that it is
 * refused, its own return is taken by nobody, all the others' returns come, and none of the others loses its connection.
 *
 * The minions are simulated: they come in, are accepted and announced as real ones, and answer when the test says so.
 * More: `NATRIUM_FLEET=1000 npm test -- tests/keys/revocation-fleet`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock, digestOf, type Opened } from '@natrium/bus';
import type { Link } from '@natrium/client';
import { loadMinionConfig } from '@natrium/config';
import { decode, fingerprint, fromHex, identityFrom, newIdentitySecret, signData } from '@natrium/envelope';
import type { JobNews } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import { pino } from 'pino';
import { openMaster, type OpenMaster } from '../../apps/cli/src/link/open-master.js';
import { ClusterTrust } from '../../apps/minion-agent/src/identity/cluster-trust.js';
import { comeIn } from '../../apps/minion-agent/src/identity/coming-in.js';
import type { CameIn } from '../../apps/minion-agent/src/link/live-link.js';
import { printFigure } from '../support/figures.js';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';
import { ask } from './world.js';

const FLEET = Number(process.env['NATRIUM_FLEET'] ?? 60);
/** So many come in at once. */
const AT_ONCE = 10;
/** The second itself is held with real minions (`revocation.spec.ts`): here the whole fleet shares the test's own process. */
const WITHIN_MS = 5000;
/** As a real minion's. */
const ANSWER_MS = 5000;
const PATIENT_S = 120;
const LONG_MS = START_MS + FLEET * 500;

type Job = Opened<typeof contracts.job>;

/** A minion without modules: it keeps a job until it is told to return it. */
class Simulated {
  readonly jobs: Job[] = [];

  constructor(
    readonly id: string,
    readonly came: CameIn,
    onJob: () => void,
  ) {
    const { link } = came;
    link.bus.serve(link.subjects.job(link.own.fp), undefined, [contracts.job], (opened) => {
      this.jobs.push(opened);
      onJob();
    });
  }

  get link(): Link {
    return this.came.link;
  }

  get fingerprint(): string {
    return fingerprint(this.link.identity.publicKey);
  }

  /** Tells who it is, so that jobs can be sealed to it. */
  async announce(): Promise<void> {
    const { bus, own, subjects, roles, clock, identity, services } = this.link;
    const data = signData(identity.signing, roles.cluster, { number: clock.now(), grains: { id: this.id } });
    const question = {
      contract: contracts.data,
      body: { data, announcement: own.announced },
      subject: subjects.upAcl(own.fp, 'data'),
      to: () => services('acl'),
    };
    const answer = await bus.ask(question, contracts.pillar, START_MS);
    if (!answer.ok) throw new Error(`${this.id} could not say who it is: ${answer.error}`);
  }

  /** @returns Whether a gateway has taken its return. */
  async returns(): Promise<boolean> {
    const { bus, own, subjects, directory } = this.link;
    const [job] = this.jobs;
    if (job === undefined) throw new Error(`${this.id} has no job`);
    const { request, grant, instance }: Body<typeof contracts.job> = job.body;
    const [, , , , jid] = decode(grant.bytes) as readonly string[];
    const outcome = { ret: true, retcode: 0, success: true, out: null };
    const answer = await bus.deliver(
      {
        contract: contracts.returned,
        body: { jid: jid ?? '', digest: fromHex(digestOf(request)), status: 'done', code: null, outcome },
        subject: subjects.upReturn(own.fp, instance),
        to: () => directory.role('gateway').filter(({ owner }) => owner.type === 'role' && owner.instance === instance),
      },
      ANSWER_MS,
    );
    return answer.ok;
  }
}

let folder: string;
let cluster: UpCluster;
let master: OpenMaster;
const fleet: Simulated[] = [];
/** What the connections of the fleet went through. */
const notices: { readonly id: string; readonly notice: string }[] = [];
let onJob: () => void = () => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-fleet-'));
  const masterConfig = 'auto_accept: true\nrequest_rate: 0\ngrant_timeout: 20\n';
  cluster = await upCluster({ minions: ['a'], masterConfig });
  const opened = await openMaster(cluster.master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  master = opened.value;
  for (let n = 0; n < FLEET; n += AT_ONCE)
    fleet.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, FLEET - n) }, (_, k) => simulated(n + k)))),
    );
}, LONG_MS);
afterAll(async () => {
  await Promise.all(fleet.map(({ came }) => came.transport.drain()));
  await master.transport.drain();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function simulated(number: number): Promise<Simulated> {
  const id = `s${String(number)}`;
  const loaded = loadMinionConfig(oneMoreMinion(cluster, folder, id));
  if (!loaded.ok) throw new Error('the configuration of a simulated minion has problems');
  const { config } = loaded.value;
  const log = pino({ level: 'info' }, { write: (line) => notices.push({ id, notice: line }) });
  const came = await comeIn({
    config,
    identity: identityFrom(newIdentitySecret()),
    trust: new ClusterTrust(config, (notice) => notices.push({ id, notice })),
    clock: new Clock(config.clock_skew * 1000),
    log,
    signal: new AbortController().signal,
    grains: {},
  });
  const minion = new Simulated(id, came, () => {
    onJob();
  });
  await came.transport.flush();
  await minion.announce();
  return minion;
}

/** Every minion of the fleet has the job. */
function allHaveIt(): Promise<void> {
  return new Promise((resolve) => {
    onJob = () => {
      if (fleet.every(({ jobs }) => jobs.length > 0)) resolve();
    };
    onJob();
  });
}

it(
  'a key that is taken away in the middle of a job to the fleet ends alone',
  async () => {
    const [gone, ...others] = fleet;
    if (gone === undefined) throw new Error('there is no fleet');
    notices.length = 0;
    const ids = fleet.map(({ id }) => id);
    const heard: JobNews[] = [];
    const news = (async () => {
      for await (const one of master.client.publish({ ...ask(ids, 'test.ping'), timeout: PATIENT_S })) heard.push(one);
    })();
    await allHaveIt();
    const began = performance.now();
    const refused = gone.came.transport.lost.then(() => performance.now() - began);
    const done = await master.client.admin('key', 'key.reject', [{ id: gone.id, fingerprint: gone.fingerprint }]);
    expect(done).toEqual({ ok: true, value: [gone.id] });
    const ms = await refused;
    printFigure(`a key of ${String(FLEET)} taken away in the middle of a job, to its end at the broker`, ms);
    expect(await gone.returns()).toBe(false);
    await Promise.all(
      others.map(async (minion) => {
        while (!(await minion.returns())); // as a spool does, until it is stored
      }),
    );
    await news;
    const returned = heard.flatMap((one) => (one.type === 'return' ? [one.id] : []));
    expect(returned.toSorted()).toEqual(others.map(({ id }) => id).toSorted());
    const absent = heard.flatMap((one) => (one.type === 'end' ? one.absent : []));
    expect(absent).toMatchObject([{ id: gone.id, why: 'refused' }]);
    expect(notices.filter(({ id }) => id !== gone.id)).toEqual([]);
    expect(ms).toBeLessThan(WITHIN_MS);
  },
  LONG_MS,
);
