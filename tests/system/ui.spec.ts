/**
 * The built-in page in a real browser: what its users see and do not see, live, with the keyboard alone, in both themes. Makes the
 * pictures of docs/ui (UPDATE_DOCS=1).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import type { Page } from 'playwright-core';
import { inRoot } from '../support/places.js';
import { seriousFindings } from './browser.js';
import { useUi } from './ui-world.js';

const world = useUi();
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';

afterAll(() => {
  // Of all that the pages of this file did: nothing was asked of anybody else, and no rule of their policy was broken.
  const hosts = new Set(world.asked.map((url) => new URL(url).origin));
  expect([...hosts]).toEqual([new URL(world.url).origin]);
  expect(world.complaints).toEqual([]);
});

describe('the login', () => {
  it('tells that it was refused, and then lets in; no cookie is kept, and a page that is opened anew asks again', async () => {
    const page = await world.open();
    await world.logIn(page, 'bob', 'wrong');
    expect(await alertOn(page)).toBe('The login was refused. Check the user name, the password and the back end.');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    expect(await page.getByRole('navigation').count()).toBe(0);
    await world.logIn(page, 'bob');
    await page.getByText('bob (file)').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify(Object.entries(localStorage))')).toBe('[["natrium.eauth","file"]]');
    await page.reload();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('ends with the button, and nothing that was seen stays', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Minions');
    await page.getByRole('button', { name: 'db1' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.locator('#views').innerHTML()).toBe('');
    expect(await page.locator('main').innerText()).not.toContain('db1');
  });

  it('is over when the operator revokes it', async () => {
    const page = await world.openAs('bob');
    expect((await world.cluster.ctl('token', 'revoke', '--user', 'bob')).code).toBe(0);
    await page.getByText('Your session has ended. Log in again.').waitFor();
    expect(await page.locator('#views').innerHTML()).toBe('');
  });
});

describe('minions', () => {
  it('are not shown to who may not ask for them: the sentence stands there instead', async () => {
    const page = await world.openAs('bob');
    await world.show(page, 'Minions');
    await page.getByText("Presence: token bob may not run the runner 'manage.status': no rule permits it").waitFor();
    await page.getByText("Keys: token bob may not run the wheel function 'key.list_all'").waitFor();
    await page.getByRole('button', { name: 'Ask the minions themselves' }).click();
    await page.getByText("token bob may not run 'grains.items' on '*': no rule permits it").waitFor();
    expect(await page.locator('#view-minions').innerText()).not.toMatch(/db1|web1/);
  });

  it('are up or down, in words, and tell their grains', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Minions');
    await page.getByText('3 of 3 minions up').waitFor();
    expect(await cells(page, 'Minions')).toEqual([['db1', '● up'], ['web1', '● up'], ['web2', '● up']]); // prettier-ignore
    world.cluster.kill('db1', 'SIGKILL');
    await refreshedUntil(page, '2 of 3 minions up');
    expect((await cells(page, 'Minions'))[0]).toEqual(['db1', '○ down']);
    await page.getByRole('button', { name: 'web1' }).click();
    await page.getByRole('region', { name: 'Grains of web1' }).getByText('"id": "web1"').waitFor();
    await picture(page, 'minions');
  });
});

describe('events', () => {
  it('appear as they come, as text whatever they hold, by their tags, and stand still when they are told to', async () => {
    const page = await world.openAs('alice');
    await world.fire(['deploy/begun'], { note: HOSTILE });
    const first = page.getByRole('listitem').filter({ hasText: 'salt/netapi/hook/deploy/begun' });
    await first.getByText('deploy/begun').click();
    await first
      .getByRole('region')
      .getByText(`"note": ${JSON.stringify(HOSTILE)}`)
      .waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);

    await page.getByLabel('Filter by tag').fill('*/nothing/*');
    await page.getByText('No event matches the filter.').waitFor();
    await page.getByLabel('Filter by tag').fill('salt/netapi/*');
    await first.waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await world.fire(['deploy/done']);
    await page.getByText(/[1-9] more while paused/).waitFor();
    await page.getByLabel('Filter by tag').fill('salt/netapi/hook/*');
    expect(await page.getByText('salt/netapi/hook/deploy/done').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('salt/netapi/hook/deploy/done').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No event yet.').waitFor();
  });

  it('could not become HTML, whatever the page did: its policy forbids it', async () => {
    const page = await world.open();
    const told = page.waitForEvent('console');
    await expect(page.evaluate('document.body.innerHTML = "<b>bold</b>"')).rejects.toThrow('TrustedHTML');
    await told;
    expect(world.complaints.splice(0)).toEqual([expect.stringContaining('TrustedHTML')]);
  });

  it('are taken up where they were when the connection breaks', async () => {
    const page = await world.openAs('alice');
    await world.fire(['count/1']);
    await page.getByText('hook/count/1').waitFor();
    world.proxy.cut(false);
    await page.getByText('Connection lost, trying again…').waitFor();
    await world.fire(['count/2']);
    world.proxy.mend();
    await page.getByText('hook/count/2').waitFor();
    await world.isLive(page);
    expect(await page.getByText('hook/count/').count()).toBe(2);
  });

  it('are bounded: the oldest go', async () => {
    const page = await world.openAs('alice');
    await world.fire(['the/oldest']);
    await page.getByText('hook/the/oldest').waitFor();
    const tags = (part: number) => Array.from({ length: 25 }, (_, n) => `many/${String(part)}/${String(n)}`);
    await Promise.all(Array.from({ length: 20 }, (_, part) => world.fire(tags(part))));
    await page.getByText('500 events').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(500);
    expect(await page.getByText('hook/the/oldest').count()).toBe(0);
  });

  it('of others are not heard by who may see only their own', async () => {
    const page = await world.openAs('bob');
    const others = await world.begin('alice', { tgt: 'web1', fun: 'test.ping' });
    const own = await world.begin('bob', { tgt: 'web1', fun: 'test.ping' });
    await page.getByText(`salt/job/${own}/ret/web1`).waitFor();
    expect(await page.locator('main').textContent()).not.toContain(others);
  });
});

describe('jobs', () => {
  it('appear with each return as it comes', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await world.begin('alice', {
      tgt: 'web*',
      fun: 'cmd.run',
      arg: [oneWaits()],
      kwarg: { python_shell: true },
      timeout: 100,
    });
    const row = page.getByRole('row').filter({ hasText: 'cmd.run' });
    await row.getByText('1 of 2').waitFor();
    await row.getByRole('button').click();
    const back = page.getByRole('region', { name: /^Return of/ }).filter({ hasText: 'returned' });
    const waiting = page.getByRole('region', { name: /^Return of/ }).filter({ hasText: 'no return yet' });
    await waiting.waitFor();
    const output = back.getByRole('region', { name: /^Output of/ });
    await output.getByText(HOSTILE).waitFor();
    await page.evaluate('document.querySelector(".answer pre").scrollTop = 100');
    writeFileSync(join(world.folder, 'go'), '');
    await row.getByText('2 of 2').waitFor();
    await waiting.waitFor({ state: 'detached' });
    expect(await back.count()).toBe(2);
    expect(await page.locator('main img, main b').count()).toBe(0);
    // What somebody reads stays where it was, and what listens is told.
    expect(await page.evaluate('[...document.querySelectorAll(".answer pre")].map((box) => box.scrollTop).sort()')).toEqual([0, 100]); // prettier-ignore
    expect(await page.getByRole('status').allInnerTexts()).toContainEqual(expect.stringMatching(/^web[12] returned: 2 of 2$/)); // prettier-ignore
  });

  it('of a minion that is not there go on without it', async () => {
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await world.begin('alice', { tgt: '*', fun: 'cmd.run', arg: ['uname -srm'] });
    const row = page.getByRole('row').filter({ hasText: 'uname' });
    await row.getByText('2 of 3').waitFor();
    await row.getByRole('button').click();
    await page.getByRole('region', { name: 'Return of db1' }).getByText('no return yet').waitFor();
    await page.getByRole('region', { name: 'Output of web1' }).getByText('Linux').waitFor();
    await picture(page, 'jobs');
  });

  it('of before are there, with what came of them; those that failed are said to have', async () => {
    await world.begin('alice', { tgt: 'web2', fun: 'no.such' });
    const page = await world.openAs('alice');
    await world.show(page, 'Jobs');
    await page.getByRole('row').filter({ hasText: 'no.such' }).getByRole('button').click();
    await page.getByRole('region', { name: 'Return of web2' }).getByText('failed, code').waitFor();
    await page.getByRole('region', { name: 'Output of web2' }).getByText("'no.such' is not available.").waitFor();
  });

  it('of others are not shown to who may not list them; their own are, as they run', async () => {
    const page = await world.openAs('bob');
    await world.show(page, 'Jobs');
    await page.getByText("token bob may not run the runner 'jobs.list_jobs': no rule permits it").waitFor();
    await world.begin('alice', { tgt: 'web1', fun: 'test.version' });
    await world.begin('bob', { tgt: 'web1', fun: 'test.ping' });
    const row = page.getByRole('row').filter({ hasText: 'test.ping' });
    await row.getByText('1 of 1').waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'test.version' }).count()).toBe(0);
    await row.getByRole('button').click();
    await page.getByText("may not run the runner 'jobs.list_job'").waitFor();
    await page.getByRole('region', { name: 'Output of web1' }).getByText('true').waitFor();
  });

  /** Whichever minion comes first waits for a file; the other answers at once, at length. */
  function oneWaits(): string {
    const waits = `until [ -e '${world.folder}/go' ]; do sleep 0.1; done`;
    return `if mkdir '${world.folder}/first' 2>/dev/null; then ${waits}; fi; echo '${HOSTILE}'; seq 1 300`;
  }
});

describe('can I?', () => {
  it('is answered with the rule and the minions, or with the sentence; and nothing is sent', async () => {
    const page = await world.openAs('bob');
    const before = await world.jobCount();
    await world.show(page, 'Can I?');
    await page.getByLabel('Function').fill('cmd.run');
    await page.getByLabel('Target', { exact: true }).fill('web*');
    await page.getByLabel('Arguments').fill('uptime');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('heading', { name: 'Allowed, on 2 minions' }).waitFor();
    const verdict = page.getByRole('status').filter({ hasText: 'Allowed' });
    expect(await verdict.innerText()).toMatch(
      /Rule\s+external_auth › file › bob › 1 › web\* › 0\s+Minions\s+web1\s+web2/,
    );
    await picture(page, 'can-i');

    await page.getByLabel('Target type').selectOption('list');
    await page.getByLabel('Target', { exact: true }).fill('web1,web9');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Not there').waitFor();

    await page.getByLabel('Target type').selectOption('glob');
    await page.getByLabel('Target', { exact: true }).fill('*');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    await page.getByText("token bob may not run 'cmd.run' on '*': no rule permits it").waitFor();
    expect(await page.locator('#view-can-i').innerText()).not.toContain('db1');

    await page.getByLabel('Arguments').fill('[1');
    await page.getByLabel('Target type').selectOption('nodegroup');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.locator('.verdict .note').waitFor();
    expect(await world.jobCount()).toBe(before);
  });
});

describe('everybody', () => {
  it('may use the keyboard alone, and sees where they are', async () => {
    const page = await world.open();
    const { keyboard } = page;
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await keyboard.type('alice');
    await keyboard.press('Tab');
    await keyboard.type('wonderland');
    await keyboard.press('Tab');
    await keyboard.type('file');
    await keyboard.press('Enter');
    await tabTo(page, 'Log in');
    await keyboard.press('Enter');
    await page.getByText('minions up').waitFor();
    await tabTo(page, 'Skip to the content');
    await keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'web1');
    await keyboard.press('Enter');
    await page.getByRole('region', { name: 'Grains of web1' }).waitFor();
    await tabTo(page, 'Can I?');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Can I?' }).waitFor();
    await keyboard.press('Tab');
    await keyboard.type('test.ping');
    await keyboard.press('Tab');
    await keyboard.type('web2');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allowed, on 1 minion' }).waitFor();
    await tabTo(page, 'Dark theme');
    await keyboard.press('Space');
    await isIn('dark', page);
    await tabTo(page, 'Log out');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('has the theme of the system until they choose one, and then keeps theirs', async () => {
    const page = await world.open('dark');
    await isIn('dark', page);
    await page.emulateMedia({ colorScheme: 'light' });
    await isIn('light', page);
    await page.getByRole('button', { name: 'Dark theme', pressed: false }).click();
    await isIn('dark', page);
    await page.reload();
    await page.getByRole('button', { name: 'Dark theme', pressed: true }).waitFor();
    await isIn('dark', page);
  });

  it.each(['light', 'dark'] as const)('finds nothing in the way in the %s theme', async (theme) => {
    const page = await world.open(theme);
    expect(await seriousFindings(page)).toEqual([]);
    await world.logIn(page, 'alice', 'wrong');
    await alertOn(page);
    expect(await seriousFindings(page)).toEqual([]);
    await world.logIn(page, 'alice');
    await page.getByRole('button', { name: 'web1' }).click();
    await page.getByRole('region', { name: 'Grains of web1' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await world.show(page, 'Events');
    await world.isLive(page);
    const jid = await world.begin('alice', { tgt: 'web*', fun: 'no.such' });
    await page.getByText(`salt/job/${jid}/ret/web1`).click();
    await page.getByRole('region', { name: `Data of salt/job/${jid}/ret/web1` }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'events');

    await world.show(page, 'Jobs');
    await page.getByRole('row').filter({ hasText: 'no.such' }).first().getByRole('button').click();
    await page.getByText('failed, code').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await world.show(page, 'Can I?');
    await page.getByLabel('Function').fill('test.ping');
    await page.getByLabel('Target', { exact: true }).fill('*');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

async function alertOn(page: Page): Promise<string> {
  const alert = page.getByRole('alert').filter({ hasText: /\S/ });
  await alert.waitFor();
  return alert.innerText();
}

/** A table's rows as somebody reads them. */
async function cells(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
}

/** The broker notices a dead minion a moment later than the kernel. */
async function refreshedUntil(page: Page, text: string): Promise<void> {
  const found = page.getByText(text);
  while ((await found.count()) === 0) {
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await answered;
  }
}

/** Goes from one part to the next until it holds the focus, which is seen wherever it is. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 80; n += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate<{ readonly text: string; readonly outline: string }>(FOCUS);
    if (at.text !== '') expect(at).toEqual({ text: at.text, outline: 'solid' });
    if (at.text === name) return;
  }
  throw new Error(`${name} cannot be reached with Tab`);
}

const FOCUS = `(({ activeElement: at }) => ({
  text: at === document.body ? '' : (at.innerText || at.id).trim(),
  outline: getComputedStyle(at).outlineStyle,
}))(document)`;

/** A browser takes its time to draw a page anew. */
async function isIn(theme: 'light' | 'dark', page: Page): Promise<void> {
  await until(`the ${theme} theme`, async () => {
    return (await page.evaluate('getComputedStyle(document.body).colorScheme')) === theme;
  });
}

/** Of the page as it stands, in both themes. */
async function picture(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_DOCS'] !== '1') return;
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    writeFileSync(inRoot('docs', 'ui', `${name}-${theme}.png`), await page.screenshot());
  }
}
