/**
 * The built-in page where something fails, in a real browser: a runner that fails is no data, what is old is not shown as live, and
 * what is learnt late is drawn.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useUi } from './ui-world.js';

const world = useUi();
const NO_LEADER = 'Exception occurred in runner jobs.list_job: no leader';
/** What the job cache has of a job that was never begun: no event tells of it. */
const UNHEARD = { Function: 'un.heard', Arguments: [], Target: 'web9', 'Target-type': 'glob', User: 'alice' };

afterAll(() => {
  expect(world.complaints).toEqual([]);
});

describe('a runner that failed', () => {
  it('leaves no empty fleet: its sentence stands there instead, and nothing is said of who is up', async () => {
    const page = await world.open();
    await answers(page, '/', { return: ['Exception occurred in runner manage.status: no leader'] });
    await answers(page, '/keys', { return: 'Exception occurred in wheel key.list_all: no leader' });
    await world.logIn(page, 'alice');
    await page.getByText('Presence: Exception occurred in runner manage.status: no leader').waitFor();
    await page.getByText('Keys: Exception occurred in wheel key.list_all: no leader').waitFor();
    expect(await page.getByText('There is no minion yet.').isVisible()).toBe(false);
    await answers(page, '/keys', { return: { minions_pre: ['new1'] } });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('row').filter({ hasText: 'new1' }).getByText('key waits').waitFor();
    expect(await page.getByText('minion up').count()).toBe(0);
  });

  it('leaves no list of jobs: its sentence stands there instead', async () => {
    const page = await world.open();
    await answers(page, '/jobs', { return: ['Exception occurred in runner jobs.list_jobs: no leader'] });
    await world.logIn(page, 'alice');
    await world.show(page, 'Jobs');
    await page.getByText('Exception occurred in runner jobs.list_jobs: no leader').waitFor();
    expect(await page.locator('#view-jobs tbody tr').count()).toBe(0);
    expect(await page.getByText('No job yet.').isVisible()).toBe(false);
  });

  it('is told where one job is looked up, and so is that there is no such job, until there is', async () => {
    const jid = await world.begin('alice', { tgt: 'web1', fun: 'test.echo', arg: ['looked up'] });
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await answers(page, `/jobs/${jid}`, { info: [NO_LEADER], return: [{}] });
    await page.getByRole('row').filter({ hasText: 'looked up' }).getByRole('button').click();
    await page.getByText(NO_LEADER).waitFor();
    const error = 'Cannot contact returner or no job with this jid';
    await answers(page, `/jobs/${jid}`, { info: [{ jid, Error: error, Result: {} }], return: [{}] });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText(error).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('region', { name: 'Output of web1' }).getByText('looked up').waitFor();
    expect(await page.getByText(error).count()).toBe(0);
  });
});

describe('the stream of events', () => {
  it('is said to be lost in every view, and each looks again when it is back', async () => {
    const page = await world.openAs('alice');
    for (const view of ['Minions', 'Jobs', 'Can I?']) {
      await world.show(page, view);
      await world.isLive(page);
    }
    world.proxy.cut(false);
    await page.getByRole('banner').getByText('Connection lost, trying again…').waitFor();
    await tellsMore(page);
    world.proxy.mend();
    await world.isLive(page);
    await showsMore(page);
  });

  it('that says that events are missing has each view look again', async () => {
    const page = await world.openAs('alice');
    await tellsMore(page);
    expect((await world.cluster.ctl('event', 'fire', 'natrium/gap', '{"dropped": 1}')).code).toBe(0);
    await showsMore(page);
  });

  it('that falls silent, as when a cable is pulled, is said to, and is begun anew', async () => {
    const page = await world.open();
    await page.clock.install();
    await world.logIn(page, 'alice');
    await world.isLive(page);
    world.proxy.cut(true);
    await page.clock.pauseAt(Date.now() + 1000);
    await page.clock.fastForward(30_000);
    await world.isLive(page);
    await page.clock.fastForward(10_000);
    await page.getByRole('banner').getByText('Nothing heard for 40 s, connecting again…').waitFor();
    world.proxy.mend();
    await page.clock.resume();
    await world.isLive(page);
  });
});

describe('jobs', () => {
  it('that somebody reads go on when two hundred newer ones are there', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    const open = await opened(page, 'go-old', 'echo it has ended');
    await answers(page, '/jobs', { return: [newer(250)] });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('row').filter({ hasText: 'un.heard' }).nth(199).waitFor();
    open.goOn();
    await page.getByRole('region', { name: 'Output of web1' }).getByText('it has ended').waitFor();
    expect(await open.row.locator('td').last().innerText()).toBe('1 of 1');
    expect(await page.locator('#view-jobs tbody tr').count()).toBe(201);
  });

  it('whose return is too large for an event are looked up once, and show the return itself', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    const open = await opened(page, 'go-large', "head -c 1200000 /dev/zero | tr '\\0' x");
    const asked = world.asked.filter((url) => url.includes('/jobs/2')).length;
    open.goOn();
    await page.getByRole('region', { name: 'Output of web1' }).getByText('xxxxxxxx').waitFor();
    expect(world.asked.filter((url) => url.includes('/jobs/2'))).toHaveLength(asked + 1);
  });

  it('that were first heard of by a return have their target as soon as the list tells it', async () => {
    const waiting = await waitingJob('go-late', 'echo late');
    const page = await world.open();
    await answers(page, '/jobs', { return: [{}] });
    await world.logIn(page, 'alice');
    await world.show(page, 'Jobs');
    await world.isLive(page);
    waiting.goOn();
    const row = page.getByRole('row').filter({ hasText: 'echo late' });
    await row.waitFor();
    expect((await row.locator('td').allInnerTexts())[2]).toBe('');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row.getByRole('cell', { name: 'web1', exact: true }).waitFor();
  });

  it('that nobody has looked up since events may have been missed have returned at least so often', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    const waiting = await waitingJob('go-least', 'echo least');
    const row = page.getByRole('row').filter({ hasText: 'echo least' });
    await row.getByText('0 of 1').waitFor();
    world.proxy.cut(false);
    world.proxy.mend();
    await row.getByText('at least 0 of 1').waitFor();
    await row.getByRole('button').click();
    await row.getByRole('cell', { name: '0 of 1', exact: true }).waitFor();
    waiting.goOn();
    await row.getByRole('cell', { name: '1 of 1', exact: true }).waitFor();
  });
});

interface Waiting {
  readonly goOn: () => void;
}

/** A job of web1 that waits until it is told to go on, and then runs a command of the shell. */
async function waitingJob(name: string, command: string): Promise<Waiting> {
  const go = join(world.folder, name);
  const arg = [`until [ -e '${go}' ]; do sleep 0.1; done; ${command}`];
  await world.begin('alice', { tgt: 'web1', fun: 'cmd.run', arg, kwarg: { python_shell: true }, timeout: 100 });
  return { goOn: () => writeFileSync(go, '') };
}

/** The same, open on the page. */
async function opened(page: Page, name: string, command: string) {
  const { goOn } = await waitingJob(name, command);
  const row = page.getByRole('row').filter({ hasText: command });
  const answered = page.waitForResponse(/\/jobs\/\d{20}$/);
  await row.getByRole('button').click();
  await page.getByRole('region', { name: 'Return of web1' }).getByText('no return yet').waitFor();
  await answered;
  return { goOn, row };
}

/** From now on this is what the page is answered at a path. */
async function answers(page: Page, path: string, json: object): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === path,
    (route) => route.fulfill({ json }),
  );
}

/** What no event tells of: one more minion, and one more job. */
async function tellsMore(page: Page): Promise<void> {
  await answers(page, '/', { return: [{ up: ['web9'], down: [] }] });
  await answers(page, '/jobs', { return: [newer(1)] });
}

async function showsMore(page: Page): Promise<void> {
  await world.show(page, 'Minions');
  await page.getByRole('button', { name: 'web9' }).waitFor();
  await world.show(page, 'Jobs');
  await page.getByRole('row').filter({ hasText: 'un.heard' }).waitFor();
}

/** So many jobs that began after all others. */
function newer(count: number): object {
  const jids = Array.from({ length: count }, (_, n) => `29990101${String(n).padStart(12, '0')}`);
  return Object.fromEntries(jids.map((jid) => [jid, UNHEARD]));
}
