/**
 * Pillar and grains on a real broker with the real acl-service and agents: who gets what, who sees it, and what follows for
 * targets. The tap hears what the broker's operator hears.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from '@natrium/envelope';
import type { Value } from '@natrium/model';
import { aRequest, Arrivals, type Asked, type LogLine, signedBy, until } from '@natrium/testing';
import { aCluster, type Apps, type TestCluster, type TestMinion } from '@natrium/testing/cluster';
import { contracts } from '@natrium/wire';
import { apps as programs } from '../hostile/apps.js';
import { Tap } from '../support/tap.js';

const WEB1 = 'web1.example.com';
const DB1 = 'db1.example.com';
const CANARY = 'canary-of-web1-7f3a';
const OTHER_CANARY = 'canary-of-db1-91bc';

const TOP = `
base:
  '*': [common]
  'web*': [roles.web]
  'stage:live':
    - match: grain
    - live
  'db*': [roles.db]
`;

const folder = mkdtempSync(join(tmpdir(), 'nt-pillar-'));
const roots = join(folder, 'roots');
const agentLines = new Map([WEB1, DB1].map((id) => [id, new Arrivals<LogLine>(`a line of ${id}`)]));
/** What web1 finds when it looks at itself. */
let stage = 'test';

const apps: Apps = {
  ...programs,
  startAgent: (config, hear, signal) => {
    const own = config.id === WEB1 ? { ...config, get grains() { return { stage }; } } : config; // prettier-ignore
    return programs.startAgent(own, both(hear, linesOf(config.id)), signal);
  },
};

function linesOf(id: string): Arrivals<LogLine> {
  const lines = agentLines.get(id);
  if (lines === undefined) throw new Error(`there is no minion ${id}`);
  return lines;
}

function both(hear: (line: string) => void, lines: Arrivals<LogLine>): (line: string) => void {
  return (line) => {
    hear(line);
    lines.push(JSON.parse(line) as LogLine);
  };
}

function put(path: string, text: string): void {
  const file = join(roots, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file); // as editors do
}

let cluster: TestCluster;
let tap: Tap;

beforeAll(async () => {
  put('top.sls', TOP);
  put('common.sls', 'company: example\n');
  put('live.sls', 'live: true\n');
  put('roles/web.sls', `role: web\ntoken: ${CANARY}\n`);
  put('roles/db/init.sls', `role: db\ntoken: ${OTHER_CANARY}\n`);
  const master = `pillar_roots:\n  base: [${roots}]\npeer:\n  .*: [test.*]\n`;
  cluster = await aCluster({ apps, minions: [], master });
  tap = await Tap.open(cluster.broker.url);
  await cluster.addMinion(WEB1);
  await cluster.addMinion(DB1);
});
afterAll(async () => {
  await tap.close();
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

const web1 = () => cluster.minion(WEB1);
const db1 = () => cluster.minion(DB1);

function asked(fields: Partial<Request>, by = cluster.account.signing): Asked {
  const { clock, roles } = cluster.gateway.link;
  return signedBy(by, roles.cluster, aRequest(clock.now(), fields));
}

/** What a function returns that the account runs on one minion. */
async function run(minion: TestMinion, fun: string, args: readonly Value[] = []): Promise<Value> {
  const request = asked({ funs: [fun], args: [args as Request['args'][number]], tgt: minion.id });
  return (await cluster.gateway.runs(request, minion)).ret;
}

/** The ids that a target means to the acl-service, for the account or for a peer. */
async function meant(
  tgtType: string,
  tgt: string,
  by?: TestMinion,
  options: Request['options'] = {},
): Promise<readonly string[] | string> {
  const request = asked({ tgtType, tgt, options }, by?.link.identity.signing);
  const { members, refusal } = await cluster.gateway.askGrant(request);
  return refusal === null ? members.map(({ id }) => id).sort() : refusal.code;
}

/** Resolves when a target means these ids. A change of files may be read twice, and a part of it first: no line tells that all of it counts. */
async function comesToMean(tgtType: string, tgt: string, ids: readonly string[]): Promise<void> {
  await until(`${tgt} means [${ids.join()}]`, async () => (await meant(tgtType, tgt)).toString() === ids.join());
  expect(await meant(tgtType, tgt)).toEqual(ids);
}

/** A gateway tells a minion to send its data again; resolves when the minion has new pillar. What it logged before does not count. */
async function refreshing(minion: TestMinion, what: 'grains' | 'pillar'): Promise<void> {
  const { gateway } = cluster;
  const lines = linesOf(minion.id);
  lines.forget();
  const message = gateway.seal(contracts.refresh, { what }, minion.party);
  gateway.link.transport.publish(gateway.link.subjects.job(minion.fp), message);
  await lines.next(({ msg }) => msg === 'new pillar');
}

describe('a minion', () => {
  it('gets its own pillar and nobody else’s', async () => {
    expect(await run(web1(), 'pillar.items')).toEqual({ company: 'example', role: 'web', token: CANARY });
    expect(await run(db1(), 'pillar.items')).toEqual({ company: 'example', role: 'db', token: OTHER_CANARY });
    expect(await run(db1(), 'pillar.obfuscate')).toEqual({ company: '<str>', role: '<str>', token: '<str>' });
  });

  it('hears what changed when it asks again, and when the gateway says that it should', async () => {
    put('common.sls', 'company: renamed\n');
    await comesToMean('pillar', 'company:renamed', [DB1, WEB1]);
    expect(await run(web1(), 'pillar.get', ['company'])).toBe('example');
    expect(await run(web1(), 'saltutil.refresh_pillar')).toBe(true);
    expect(await run(web1(), 'pillar.get', ['company'])).toBe('renamed');

    await refreshing(db1(), 'pillar');
    expect(await run(db1(), 'pillar.get', ['company'])).toBe('renamed');
  });

  it('is not told to refresh by anyone but a gateway', async () => {
    const { gateway } = cluster;
    const forged = gateway.seal(contracts.refresh, { what: 'pillar' }, db1().party, { as: gateway.party('runner') });
    expect(await gateway.deliver(db1(), forged)).toMatchObject({ heard: 'turned_away' });
  });
});

describe('the broker', () => {
  it('passes pillar on and never sees it', async () => {
    await run(web1(), 'saltutil.refresh_pillar');
    const heard = await tap.take();
    expect(heard.some(({ subject }) => subject.endsWith(`${web1().fp}.acl.data`))).toBe(true);
    const all = Buffer.concat(heard.map(({ payload }) => Buffer.from(payload)));
    for (const text of [CANARY, OTHER_CANARY, 'roles.web', 'company']) expect(all.includes(text)).toBe(false);
  });
});

describe('targets by pillar', () => {
  it.each([
    ['pillar', 'role:web', [WEB1]],
    ['pillar', 'role:*', [DB1, WEB1]],
    ['pillar', 'role:mail', []],
    ['pillar_pcre', 'role:(db|mail)$', [DB1]],
    ['pillar_exact', 'role:db', [DB1]],
    ['pillar_exact', 'role:d*', []],
    ['compound', 'I@role:web or J@role:^db', [DB1, WEB1]],
    ['compound', '* and not I@role:web', [DB1]],
  ])('%s %s', async (tgtType, tgt, ids) => {
    expect(await meant(tgtType, tgt)).toEqual(ids);
  });

  it('are exact for a peer, which may not guess', async () => {
    expect(await meant('pillar', 'role:db', web1())).toEqual([DB1]);
    expect(await meant('pillar', 'role:d*', web1())).toBe('invalid_target');
    expect(await meant('compound', 'J@token:canary', web1())).toBe('invalid_target');
  });

  it('have an account’s delimiter, of 1 to 16 characters, and never a peer’s', async () => {
    const cut = (delimiter: string, by?: TestMinion) => meant('pillar', `role${delimiter}db`, by, { delimiter });
    expect(await cut('|')).toEqual([DB1]);
    expect(await cut('|'.repeat(16))).toEqual([DB1]);
    expect([await cut(''), await cut('|'.repeat(17))]).toEqual(['bad_request', 'bad_request']);
    expect(await cut('|', web1())).toBe('invalid_target');
  });

  it('follow the files without a minion’s help, and files with a problem give nothing', async () => {
    put('roles/web.sls', 'role: {{ grains.role }}\n');
    await comesToMean('pillar', 'role:web', []);
    expect(cluster.aclLog.all.map(({ msg }) => msg)).toContain(
      `pillar: ${join(roots, 'roles/web.sls')}:1: it is a template, and pillar files here are plain YAML; nothing of it is used`,
    );
    put('roles/web.sls', `role: web\ntoken: ${CANARY}\n`);
    await comesToMean('pillar', 'role:web', [WEB1]);
  });

  it('see files in folders that are new', async () => {
    put('top.sls', TOP.replace('[common]', '[common, late.more]'));
    for (const text of ['late: first', 'late: second']) {
      put('late/more.sls', `${text}\n`);
      await comesToMean('pillar', text.replace(' ', ''), [DB1, WEB1]);
    }
  });

  it('never read what lies outside of the roots', async () => {
    const outside = join(folder, 'outside.sls');
    writeFileSync(outside, 'role: stolen\n');
    rmSync(join(roots, 'common.sls'));
    symlinkSync(outside, join(roots, 'common.sls'));
    await until('it is told', () => cluster.aclLog.all.some(({ msg }) => msg.includes('it leads out of pillar_roots')));
    await comesToMean('pillar', 'company:*', []);
    expect(await meant('pillar', 'role:stolen')).toEqual([]);
    put('common.sls', 'company: example\n');
    await comesToMean('pillar', 'company:example', [DB1, WEB1]);
  });
});

describe('grains that change', () => {
  it('change what a target means, what is granted, and the pillar', async () => {
    expect(await meant('grain', 'stage:live', db1())).toEqual([]);
    expect(await meant('pillar', 'live:*')).toEqual([]);
    stage = 'live';
    expect(await meant('grain', 'stage:live', db1())).toEqual([]);
    expect(await run(web1(), 'saltutil.refresh_grains')).toBe(true);
    expect(await run(web1(), 'grains.get', ['stage'])).toBe('live');
    expect(await meant('grain', 'stage:live', db1())).toEqual([WEB1]);
    expect(await meant('pillar', 'live:*')).toEqual([WEB1]);
    expect(await run(web1(), 'pillar.get', ['live'])).toBe(true);

    stage = 'test';
    await refreshing(web1(), 'grains');
    expect(await meant('grain', 'stage:live', db1())).toEqual([]);
  });
});

describe('the configuration', () => {
  it('can name other roots and node groups while the service runs', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'top.sls'), 'base:\n  data:\n    - match: nodegroup\n    - moved\n');
    writeFileSync(join(other, 'moved.sls'), 'moved: true\n');
    const master = `pillar_roots:\n  base: [${other}]\nnodegroups:\n  data: db*\npeer:\n  .*: [test.*]\n`;
    writeFileSync(join(cluster.folder, 'master', 'master'), master);
    await comesToMean('pillar', 'moved:true', [DB1]);
    expect(await meant('pillar', 'role:*')).toEqual([]);
  });
});
