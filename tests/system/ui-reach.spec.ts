/** The built-in page for who has no mouse, no eyes on it, or a small screen, in a real browser: nothing that was asked for is out of reach. */
import type { Locator, Page, Route } from 'playwright-core';
import { until } from '@natrium/testing';
import { useUi } from './ui-world.js';

const world = useUi();
const PHONE = { width: 390, height: 844 } as const;
/** More than a phone shows. */
const MANY = 40;

afterAll(() => {
  expect(world.complaints).toEqual([]);
});

describe('a button that is at work', () => {
  it.each([
    ['Minions', 'Refresh', '**/keys'],
    ['Jobs', 'Refresh', '**/jobs'],
    ['Minions', 'Ask the minions themselves (grains.items)', '**/minions'],
    ['Can I?', 'Ask', '**/ui/can-i'],
  ])('of %s, %s, keeps the focus, and is not heard again until it has done', async (view, name, path) => {
    const page = await world.openAs('bob');
    await world.show(page, view);
    if (view === 'Can I?') {
      await page.getByLabel('Function').fill('test.ping');
      await page.getByLabel('Target', { exact: true }).fill('*');
    }
    const button = page.getByRole('button', { name, exact: true });
    await button.and(page.locator(':not([aria-disabled])')).waitFor();
    const held = await holding(page, path);
    await button.focus();
    await page.keyboard.press('Enter');
    const route = await held.asked(1);
    expect(await focused(page)).toBe(name);
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await route.continue();
    await button.and(page.locator(':not([aria-disabled])')).waitFor();
    expect(await focused(page)).toBe(name);
    expect(held.count()).toBe(1);
    await page.keyboard.press('Enter');
    await held.asked(2);
    expect(held.count()).toBe(2);
  });
});

it('a button keeps the focus while its view is loaded anew, as after news of a minion', async () => {
  const page = await world.openAs('bob');
  await world.show(page, 'Minions');
  const ask = page.getByRole('button', { name: 'Ask the minions themselves (grains.items)' });
  await ask.focus();
  const refresh = page.getByRole('button', { name: 'Refresh' });
  await refresh.dispatchEvent('click');
  await refresh.and(page.locator(':not([aria-disabled])')).waitFor();
  expect(await focused(page)).toBe('Ask the minions themselves (grains.items)');
});

describe('on a phone', () => {
  it('what is opened is seen, whichever row it is', async () => {
    for (let n = 0; n < MANY; n += 1) await world.begin('alice', { tgt: 'web1', fun: 'test.echo', arg: [n] });
    const page = await world.openAs('alice');
    await page.setViewportSize(PHONE);
    await world.show(page, 'Jobs');
    await page.getByRole('row').filter({ hasText: `test.echo ${String(MANY - 1)}` }).getByRole('button').click(); // prettier-ignore
    await isSeen(page, page.getByRole('heading', { name: 'test.echo' }));
    await page.getByRole('row').filter({ hasText: 'test.echo 0' }).getByRole('button').click();
    await isSeen(page, page.getByRole('heading', { name: 'test.echo' }));
    await world.show(page, 'Minions');
    await page.getByRole('button', { name: 'web2' }).click();
    await isSeen(page, page.getByRole('heading', { name: 'web2' }));
  });

  it('a wide page stays where it is: what is opened stands beside the list', async () => {
    await world.begin('alice', { tgt: 'web1', fun: 'test.ping' });
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await page.getByRole('row').filter({ hasText: 'test.ping' }).first().getByRole('button').click();
    await page.getByRole('heading', { name: 'test.ping' }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });
});

describe('who listens', () => {
  it('hears which job is open and what is wrong with it, and not again what was said', async () => {
    await world.begin('alice', { tgt: 'web1', fun: 'test.echo', arg: ['live'] });
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await page.route('**/jobs/*', (route) =>
      route.fulfill({ json: { info: [{ Error: 'no such job' }], return: [{}] } }),
    );
    await page.getByRole('row').filter({ hasText: 'live' }).getByRole('button').click();
    const live = page.locator('#view-jobs .detail [aria-live="polite"]');
    await live.getByText('no such job').waitFor();
    expect(await live.getByRole('heading').innerText()).toBe('test.echo');
    await page.evaluate(`globalThis.heard = 0; new MutationObserver(() => { heard += 1; }).observe(
      document.querySelector('#view-jobs .detail [aria-live]'), { childList: true, subtree: true, characterData: true })`);
    const again = page.waitForResponse('**/jobs/*');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await again;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await page.evaluate('heard')).toBe(0);
  });
});

/** Holds the first request for it back; the others pass. */
async function holding(page: Page, path: string) {
  const routes: Route[] = [];
  await page.route(path, async (route) => {
    routes.push(route);
    if (routes.length > 1) await route.continue();
  });
  return {
    asked: (times: number) => until(`${path} is asked for, ${String(times)}`, () => routes[times - 1]),
    count: () => routes.length,
  };
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.innerText');
}

/** Its top comes into the upper half of the screen; where another was open before, that is there until the answer comes. */
async function isSeen(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  const { height } = page.viewportSize() ?? { height: Number.NaN };
  await until('what was opened is in the upper half of the screen', async () => {
    const { y } = (await what.boundingBox()) ?? { y: Number.NaN };
    return y >= 0 && y < height / 2;
  });
}
