/**
 * The events of a drill: minions fire them, each sets off a reaction that leaves a line in its minion's ledger, as a job's run does, and a
 * sink writes all of them into a file.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { MasterClient } from '@natrium/client';
import { LEDGER } from './load.js';

const TAG = 'drill/';
const EVERY_MS = 200;
const TIMEOUT_S = 10;

/** What the master file says of them. */
export const REACTING = {
  reactor: [
    { [`${TAG}*`]: [{ note: { 'local.file.append': [{ tgt: '${data.id}' }, { args: [LEDGER, '${tag.1}'] }] } }] },
  ],
  reactor_grants: { note$: ['file.append'] },
};

/** A few events a second, one minion after the other. */
export class Events {
  /** Names of those of which their minion said that they are kept. */
  readonly kept: string[] = [];
  #fired = 0;
  readonly #waiting: Promise<void>[] = [];

  constructor(
    private readonly client: MasterClient,
    private readonly minions: readonly string[],
  ) {}

  /** Fires until `over` is settled, and resolves when each caller has heard its end. */
  async during(over: Promise<unknown>): Promise<void> {
    const firing = setInterval(() => this.#waiting.push(this.#fire()), EVERY_MS);
    await over.finally(() => {
      clearInterval(firing);
    });
    await Promise.all(this.#waiting);
  }

  #fire(): Promise<void> {
    this.#fired += 1;
    const name = `event${String(this.#fired)}`;
    const ask = {
      tgt: [this.minions[this.#fired % this.minions.length] ?? ''], tgtType: 'list', funs: ['event.send'], args: [[`${TAG}${name}`]],
      timeout: TIMEOUT_S, returner: '', returnerOptions: {}, options: {},
    }; // prettier-ignore
    return new Promise((resolve) => {
      this.client.publishTo(ask, 'all', (news) => {
        if (news.type === 'return' && news.ret === true) this.kept.push(name);
        else if (news.type === 'end' || news.type === 'refused') resolve();
      });
    });
  }
}

/** How often the sink has each event of the drill, by its name. */
export function sunkIn(path: string): ReadonlyMap<string, number> {
  const sunk = new Map<string, number>();
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  for (const line of lines) {
    const { tag = '' } = JSON.parse(line) as { readonly tag?: string };
    if (!tag.startsWith(TAG)) continue;
    const name = tag.slice(TAG.length);
    sunk.set(name, (sunk.get(name) ?? 0) + 1);
  }
  return sunk;
}
