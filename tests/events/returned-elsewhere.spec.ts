/** Rules of a job whose returns go to another gateway than the one where its caller waits, on real gateways, agents and a real broker. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityAsker, MasterClient } from '@natrium/client';
import type { OpenService } from '@natrium/edge';
import { fromHex } from '@natrium/envelope';
import type { JobNews } from '@natrium/model';
import { PATIENCE_MS, until } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import { World } from './world.js';

/** Beyond all that a test waits for: what is heard before is not what the end of the time finds. */
const TIMEOUT_S = 600;

let world: World;
let client: MasterClient;
beforeAll(async () => {
  world = await World.start();
  client = new MasterClient(identityAsker(await world.cluster.session(world.cluster.account), 'usr'));
});
afterAll(async () => {
  writeFileSync(go(), ''); // an agent ends when its jobs have
  await world.stop();
});

const go = () => join(world.cluster.folder, 'marks', 'go');

/** Each minion returns when it may. */
function waitingJob(tgt: readonly string[]): AsyncIterator<JobNews> {
  const line = `sh -c 'while [ ! -e ${go()} ]; do sleep 0.05; done; echo said here'`;
  const ask = { tgt, tgtType: 'list', funs: ['cmd.run'], args: [[line]], timeout: TIMEOUT_S, returner: '', returnerOptions: {}, options: {} }; // prettier-ignore
  return client.publish(ask)[Symbol.asyncIterator]();
}

/** What its minion's next life does when the gateway that asked does not answer it. */
async function returnTo(gateway: OpenService, id: string, jid: string): Promise<void> {
  const minion = world.cluster.minion(id);
  const digest = await until('the job runs', () => /\b[0-9a-f]{64}\b/.exec(lineOf(minion.recorded(), jid))?.[0]);
  const { instance } = gateway.link.own;
  const { link } = minion;
  const party = await until('the minion knows the gateway', () => link.directory.instance('gateway', instance));
  const outcome = { ret: 'said there', retcode: 0, success: true, out: null };
  const body = { jid, digest: fromHex(digest), status: 'done' as const, code: null, outcome };
  const subject = link.subjects.upReturn(link.own.fp, instance);
  const taken = await link.bus.deliver({ contract: contracts.returned, body, subject, to: () => [party] }, PATIENCE_MS);
  expect(taken.ok).toBe(true);
}

const lineOf = (record: string, jid: string) => record.split('\n').find((line) => line.includes(jid)) ?? '';

it('a caller hears at once what another gateway has stored, once, and then the rest from its own', async () => {
  const news = waitingJob(['web1', 'web2']);
  const started = (await news.next()).value as JobNews;
  if (started.type !== 'started') throw new Error(`the job has not begun: ${JSON.stringify(started)}`);
  const other = await world.gateway('other'); // the job is not this one's
  await returnTo(other, 'web1', started.jid);
  expect((await news.next()).value).toMatchObject({ type: 'return', id: 'web1', ret: 'said there' });
  expect(existsSync(go())).toBe(false);
  writeFileSync(go(), '');
  expect((await news.next()).value).toMatchObject({ type: 'return', id: 'web2', ret: 'said here' });
  expect((await news.next()).value).toEqual({ type: 'end', absent: [] });
  expect((await news.next()).done).toBe(true);
});
