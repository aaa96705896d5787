/**
 * `npm run demo`: starts a cluster, runs every example of the main job, shows each command with its answer, exit code and
 * time, and what a tap on the broker saw. It checks what it shows: a wrong answer makes it exit 1 and say which.
 *
 * Everything lives in one temporary folder and ends with this process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differences, type Example, GRAINS, type Scene, SCENES, typed } from '../support/examples.js';
import { processesOf } from '../support/processes.js';
import { removedAtEnd } from '../support/removed-at-end.js';
import { upCluster, type UpCluster } from '../support/up-cluster.js';
import { answer, command, heading, line, paragraph, shownFile, verdict } from './page.js';
import { showTap } from './tapped.js';

const SHOWN_CHARACTERS = 400;

class Demo {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nt-demo-'));
  readonly #wrong: string[] = [];
  #cluster: UpCluster | undefined;
  #shown = 0;

  /** @returns what was wrong, in words. */
  async run(): Promise<readonly string[]> {
    paragraph(
      'A cluster on this machine: a broker, three services and three minions, each a process of its own. Every example ' +
        'is typed on one of the minions; "!" marks what is said on stderr.',
    );
    for (const scene of SCENES) await this.#show(scene);
    const left = processesOf(this.#folder);
    return [...this.#wrong, ...left.map(({ name }) => `${name} is still running`)];
  }

  get shown(): number {
    return this.#shown;
  }

  async stop(): Promise<void> {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    await cluster?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #show(scene: Scene): Promise<void> {
    const { title, master, minions, examples } = scene;
    heading(capital(title));
    paragraph('The master file:');
    shownFile(master);
    // The same folder again: keys and accepted minions stay, only the master file is another one.
    const cluster = await upCluster({ minions, masterConfig: master, grains: GRAINS, folder: this.#folder });
    this.#cluster = cluster;
    paragraph(`\n${minions.join(', ')}: ready after ${seconds(await cluster.ready)} s`);
    for (const example of examples) await this.#try(cluster, example);
    if (scene === SCENES[0]) this.#wrong.push(...(await showTap(cluster)));
    await this.stop();
  }

  async #try(cluster: UpCluster, example: Example): Promise<void> {
    command(example.on, typed(example));
    const ran = await cluster.call(example.on, ...example.words);
    answer(ran.stdout, ran.stderr);
    verdict(ran.code, ran.ms);
    this.#shown += 1;
    for (const difference of differences(example, ran)) {
      const problem = `${example.on} $ ${typed(example)}: ${difference}`;
      line(`    WRONG: ${difference}`.slice(0, SHOWN_CHARACTERS));
      this.#wrong.push(problem.slice(0, SHOWN_CHARACTERS));
    }
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** @returns the exit code. */
async function main(): Promise<number> {
  const began = performance.now();
  const demo = new Demo();
  return removedAtEnd('demo', demo, async () => {
    const wrong = await demo.run();
    const time = `${seconds(performance.now() - began)} s`;
    heading('The end');
    if (wrong.length === 0) line(`${demo.shown} examples in ${time}, each as it should be; nothing is left running.`);
    for (const problem of wrong) line(`WRONG: ${problem}`);
    return wrong.length === 0 ? 0 : 1;
  });
}

process.exit(await main());
