/** A real browser: Chromium of the distribution, without a window, that reaches nothing but this machine. */
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { installed } from './host.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** With an empty profile of its own, which goes with it. */
export function startBrowser(): Promise<Browser> {
  installed('chromium', CHROMIUM);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: 60_000 });
}

export interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly where: readonly string[];
}

/** What axe finds that is serious or worse on the page as it stands. */
export async function seriousFindings(page: Page): Promise<readonly Finding[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<readonly Finding[]>(
    `axe.run(document).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html) })))`,
  );
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}
