/**
 * `npm run tour`: types every command line of `commands.ts` on a cluster of its own and compares what it sees with
 * `docs/tour.md`; `-- --update` writes that page. A difference is shown, and the exit code is 1.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../support/places.js';
import { removedAtEnd } from '../support/removed-at-end.js';
import { type Ran, runProgram } from '../support/run-program.js';
import { upCluster, type UpCluster } from '../support/up-cluster.js';
import { GRAINS, GROUPS, MASTER, MINIONS, PILLAR, type Step } from './commands.js';
import { type Folders, groupText, pageHead, type Shown } from './transcript.js';

const PAGE = inRoot('docs', 'tour.md');
const USAGE = 2;

class Tour {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nt-tour-'));
  #cluster: UpCluster | undefined;
  #jid = '';

  /** @returns the page. */
  async run(): Promise<string> {
    const pillar = join(this.#folder, 'pillar');
    mkdirSync(pillar);
    for (const [name, text] of Object.entries(PILLAR)) writeFileSync(join(pillar, name), text);
    const masterConfig = MASTER.replace('PILLAR', pillar);
    const cluster = await upCluster({ minions: MINIONS, masterConfig, grains: GRAINS });
    this.#cluster = cluster;
    const folders: Folders = [[pillar, '/srv/pillar'], [cluster.folder, '/srv/natrium']]; // prettier-ignore
    const parts = [pageHead(MASTER.replace('PILLAR', '/srv/pillar'))];
    for (const group of GROUPS) {
      const shown: Shown[] = [];
      for (const step of group.steps) shown.push({ step, ran: await this.#type(cluster, step) });
      parts.push(groupText(group, shown, folders));
      process.stderr.write(`tour: ${group.title}: ${String(shown.length)} commands\n`);
    }
    return parts.join('');
  }

  async remove(): Promise<void> {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    await cluster?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #meant(word: string): string {
    if (word === 'JID') return this.#jid;
    return word === 'MODULES' ? inRoot('examples', 'modules') : word;
  }

  async #type(cluster: UpCluster, { words, on, input }: Step): Promise<Ran> {
    const [program = '', ...rest] = words.map((word) => this.#meant(word));
    const configDir = on === undefined ? cluster.master : cluster.minion(on);
    const ran = await runProgram(process.execPath, [cluster.command(program), ...rest], {
      cwd: this.#folder,
      env: { NATRIUM_CONFIG_DIR: configDir },
      ...(input === undefined ? {} : { input }),
    });
    this.#jid = /^Executed command with job ID: (\d{20})$/m.exec(ran.stdout)?.[1] ?? this.#jid;
    return ran;
  }
}

/** Lines that only one of the two has, in order: enough to see what has changed. */
function differences(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shown: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (old[i] === now[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const [gone, come] = nextCommon(old.slice(i), now.slice(j));
    shown.push(`@@ docs/tour.md:${String(i + 1)}`);
    shown.push(
      ...old.slice(i, i + gone).map((line) => `- ${line}`),
      ...now.slice(j, j + come).map((line) => `+ ${line}`),
    );
    i += gone;
    j += come;
  }
  return shown;
}

/** How many lines to leave out on both sides until they are the same again. */
function nextCommon(old: readonly string[], now: readonly string[]): readonly [number, number] {
  const last = old.length + now.length;
  for (let sum = 1; sum < last; sum += 1) {
    for (let gone = Math.max(0, sum - now.length); gone <= Math.min(sum, old.length); gone += 1) {
      const line = old[gone];
      if (line !== undefined && line !== '' && line === now[sum - gone]) return [gone, sum - gone];
    }
  }
  return [old.length, now.length];
}

function compare(page: string): number {
  const shown = differences(readFileSync(PAGE, 'utf8'), page);
  if (shown.length === 0) return 0;
  process.stdout.write(
    `${shown.join('\n')}\n\nThe tour is not as docs/tour.md says. If it should be so: npm run tour -- --update\n`,
  );
  return 1;
}

/** @returns the exit code. */
async function main(words: readonly string[]): Promise<number> {
  const update = words.includes('--update');
  if (words.some((word) => word !== '--update')) {
    process.stderr.write('usage: npm run tour [-- --update]\n');
    return USAGE;
  }
  const began = performance.now();
  const tour = new Tour();
  return removedAtEnd('tour', tour, async () => {
    const page = await tour.run();
    const count = GROUPS.reduce((sum, { steps }) => sum + steps.length, 0);
    process.stderr.write(`tour: ${String(count)} commands in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    if (!update) return compare(page);
    writeFileSync(PAGE, page);
    return 0;
  });
}

process.exit(await main(process.argv.slice(2)));
