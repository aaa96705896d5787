/** One process of simulated minions, as its parent sees it: an order, and what comes of it. */
import { fileURLToPath } from 'node:url';
import type { SwarmKey, SwarmNews, SwarmOrder, SwarmShare } from '@natrium/client';
import { Child } from '../up/child.js';
import { SWARM } from '../up/process-flags.js';

type Held = Extract<SwarmNews, { type: 'held' }>;

export interface SwarmHearing {
  onProgress(): void;
  onLost(id: string): void;
  onLine(line: string): void;
}

/** Beside this file's bundle. */
const PROGRAM = fileURLToPath(new URL('../minion-agent/swarm.mjs', import.meta.url));

interface Waiting {
  readonly done: (at: number) => void;
  readonly failed: (error: Error) => void;
}

export class SwarmProcess {
  readonly #child: Child;
  readonly #waiting = new Map<SwarmOrder['type'], Waiting>();
  #over: Error | undefined;
  #keys: readonly SwarmKey[] = [];
  #held: (held: Held) => void = () => undefined;
  live = 0;

  /** @param configDir A minion's configuration, which its minions share. */
  constructor(
    name: string,
    configDir: string,
    private readonly share: SwarmShare,
    private readonly hearing: SwarmHearing,
    program = PROGRAM,
  ) {
    this.#child = new Child(
      {
        name,
        file: process.execPath,
        args: [...SWARM.flags, program, '-c', configDir],
        saysReady: false,
        onMessage: (message) => {
          this.#hear(message as SwarmNews);
        },
      },
      (line) => {
        hearing.onLine(`${name}: ${line}`);
      },
    );
    void this.#child.ended.then((how) => {
      this.#over = new Error(`${name} ended: ${how}`);
      for (const { failed } of this.#waiting.values()) failed(this.#over);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with how it ended. */
  get ended(): Promise<string> {
    return this.#child.ended;
  }

  async begin(): Promise<readonly SwarmKey[]> {
    await this.order({ type: 'begin', share: this.share });
    return this.#keys;
  }

  async come(): Promise<void> {
    await this.order({ type: 'come' });
    this.live = this.share.count;
    this.hearing.onProgress();
  }

  /** Resolves, when it is carried out, with the time at which it was begun. @throws {Error} When it failed, or the process has ended. */
  order(order: SwarmOrder): Promise<number> {
    return new Promise((done, failed) => {
      if (this.#over !== undefined) {
        failed(this.#over);
        return;
      }
      this.#waiting.set(order.type, { done, failed });
      this.#child.send(order);
    });
  }

  /** Resolves when all that is to be held is; to be asked for before it can be. */
  nextHeld(): Promise<Held> {
    return new Promise((resolve) => {
      this.#held = resolve;
    });
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  #hear(news: SwarmNews): void {
    if (news.type === 'keys') this.#keys = news.keys;
    else if (news.type === 'progress') {
      this.live = news.live;
      this.hearing.onProgress();
    } else if (news.type === 'lost') this.hearing.onLost(news.id);
    else if (news.type === 'held') this.#held(news);
    else if (news.type === 'failed') for (const { failed } of this.#waiting.values()) failed(new Error(news.sentence));
    else this.#waiting.get(news.order)?.done(news.at);
  }
}
