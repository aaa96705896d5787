/**
 * Promise 11 in motion: epochs end every few seconds in every process, under load, and no job or return is lost.
 *
 * Longer: `NATRIUM_ROTATION_SECONDS=300 npm test -- tests/keys/rotation`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { printFigure } from '../support/figures.js';
import { START_MS } from '../support/up-cluster.js';
import { ask, keysWorld, type KeysWorld, MINIONS } from './world.js';

const SECONDS = Number(process.env['NATRIUM_ROTATION_SECONDS'] ?? 12);
const JOBS_A_SECOND = SECONDS > 60 ? 50 : 25;
/** Hours: ten seconds in the long run, five here. */
const EPOCH_HOURS = SECONDS > 60 ? 10 / 3600 : 5 / 3600;
/** A machine that is busy with other tests is slow to grant: that loses jobs, but not by a key's end. */
const PATIENT = 'grant_timeout: 20\n';
const EPOCHS = `epoch_hours: ${String(EPOCH_HOURS)}\nepoch_overlap: 3\n`;

let world: KeysWorld;
beforeAll(async () => {
  world = await keysWorld({ master: `${EPOCHS}${PATIENT}log_level: info\n`, minion: `${EPOCHS}log_level: info\n` });
}, START_MS);
afterAll(() => world.stop());

interface Ledger {
  sent: number;
  returned: number;
  lost: string[];
  doubled: number;
  slowestMs: number;
}

async function oneJob(ledger: Ledger): Promise<void> {
  const began = performance.now();
  const seen = new Set<string>();
  ledger.sent += 1;
  for await (const news of world.master.client.publish(ask([...MINIONS], 'test.ping'))) {
    if (news.type === 'refused') ledger.lost.push(news.refusal.code);
    if (news.type !== 'return') continue;
    if (seen.has(news.id)) ledger.doubled += 1;
    seen.add(news.id);
  }
  ledger.returned += seen.size;
  ledger.slowestMs = Math.max(ledger.slowestMs, performance.now() - began);
}

it(
  'loses and doubles nothing while keys rotate in every process under load',
  async () => {
    const ledger: Ledger = { sent: 0, returned: 0, lost: [], doubled: 0, slowestMs: 0 };
    const jobs: Promise<void>[] = [];
    const end = performance.now() + SECONDS * 1000;
    for (let tick = performance.now(); tick < end; tick += 1000 / JOBS_A_SECOND) {
      await pause(Math.max(tick - performance.now(), 0));
      jobs.push(oneJob(ledger));
    }
    await Promise.all(jobs);
    const epochs = world.cluster.lines.filter((line) => line.includes('a new epoch')).length;
    printFigure(`rotation: ${ledger.sent} jobs, ${epochs} epochs, slowest`, ledger.slowestMs);
    expect(ledger).toMatchObject({ returned: ledger.sent * MINIONS.length, lost: [], doubled: 0 });
    expect(ledger.sent).toBeGreaterThanOrEqual(SECONDS * JOBS_A_SECOND - 1);
    // Three services and three minions, each at least every ten seconds.
    expect(epochs).toBeGreaterThanOrEqual(6 * Math.floor(SECONDS / 10));
  },
  (2 * SECONDS + 240) * 1000,
);
