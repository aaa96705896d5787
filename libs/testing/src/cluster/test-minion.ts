/** A real agent in this process, with what a test needs to know of its disk. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Link } from '@natrium/client';
import type { MinionConfig } from '@natrium/config';
import { fp, type KnownParty } from '@natrium/envelope';
import type { Apps, RunningAgent } from './apps.js';
import { LogLines } from '../log-lines.js';

export class TestMinion {
  #log = new LogLines();
  #agent: RunningAgent | undefined;

  constructor(
    private readonly apps: Apps,
    readonly config: MinionConfig,
    /** Resolves when this minion has heard the answers to all that it has sent. */
    private readonly settled: (link: Link) => Promise<void>,
  ) {}

  get id(): string {
    return this.config.id;
  }

  get log(): LogLines {
    return this.#log;
  }

  get link(): Link {
    if (this.#agent === undefined) throw new Error(`${this.id} is not running`);
    return this.#agent.link;
  }

  get key(): Uint8Array {
    return this.link.identity.publicKey;
  }

  get fp(): string {
    return fp(this.key);
  }

  /** Where jobs are sealed to, as its newest announcement says. */
  get party(): KnownParty {
    const { roles, own, clock } = this.link;
    const party = roles.read(own.announced, clock.now(), clock.skewMs);
    if (!party.ok) throw new Error(`${this.id} announces what nobody would take: ${party.error}`);
    return party.value;
  }

  async start(): Promise<void> {
    this.#log = new LogLines();
    this.#agent = await this.apps.startAgent(this.config, this.#log.hear, new AbortController().signal);
  }

  async stop(): Promise<void> {
    if (this.#agent === undefined) return;
    await this.settled(this.#agent.link);
    await this.#agent.stop();
    this.#agent = undefined;
  }

  /** Stops it, lets `meanwhile` work on its state folder, and starts it again. */
  async restart(meanwhile: () => void = () => undefined): Promise<void> {
    await this.stop();
    meanwhile();
    await this.start();
  }

  /** The run-once record as it stands on disk. */
  recorded(): string {
    return readFileSync(this.#recordPath, 'utf8');
  }

  loseRecord(): void {
    rmSync(this.#recordPath);
  }

  rewriteRecord(rewrite: (text: string) => string): void {
    writeFileSync(this.#recordPath, rewrite(this.recorded()));
  }

  /** What the disk would hold had the agent died during its last run. */
  forgetLastFinish(): void {
    this.rewriteRecord((text) => {
      const lines = text.split('\n');
      return lines
        .toSpliced(
          lines.findLastIndex((line) => line.startsWith('finished')),
          1,
        )
        .join('\n');
    });
  }

  get #recordPath(): string {
    return join(this.config.cachedir, 'record', 'run-once');
  }
}
