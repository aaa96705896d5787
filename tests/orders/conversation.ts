/** What one gateway says to one question, each thing once. */
import type { News, SignedRequest } from '@natrium/flow';
import type { Hear } from './parties.js';
import type { World } from './world.js';

export class Conversation {
  readonly #returned = new Set<string>();
  #jid: string | undefined;
  #isOver = false;

  constructor(
    private readonly world: World,
    private readonly ask: SignedRequest,
    private readonly hear: Hear,
  ) {}

  tell(news: News): void {
    const { world } = this;
    const { refusal, started, returns, end } = news;
    if (this.#isOver && saysSomething(news)) world.break('nobody is told anything after the end of his job');
    for (const { id } of returns) {
      if (this.#returned.has(id)) world.break('a gateway tells a return once');
      this.#returned.add(id);
    }
    if (started !== null && this.#jid !== undefined) world.break('a gateway tells the start of a job once');
    this.#jid ??= started?.jid;
    if (refusal !== null && this.#jid !== undefined)
      world.break('a gateway refuses no job that it has told the start of');
    if (started !== null && this.ask.digest === world.ask?.digest) world.toldJids.add(started.jid);
    this.#isOver ||= end !== null || refusal !== null;
    this.hear(news);
  }
}

/** It is not only said that somebody is there. */
export function saysSomething({ refusal, started, returns, end }: News): boolean {
  return refusal !== null || started !== null || returns.length > 0 || end !== null;
}
