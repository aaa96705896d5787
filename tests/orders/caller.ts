/** Whoever has asked for the job: he asks another gateway when his own is silent, as every command does. */
import type { SealedBus } from '@natrium/bus';
import type { SignedRequest } from '@natrium/flow';
import { Following, type FollowHearing, type News } from '../../libs/client/src/following.js';
import { saysSomething } from './conversation.js';
import type { AnyGateway } from './parties.js';
import type { World } from './world.js';

interface Hearing {
  onAnswer(news: News): 'more' | 'done';
  onFailure: FollowHearing['onFailure'];
}

/** Beyond the job's timeout, in seconds. */
const PATIENCE_S = 5;
const NOBODY_MS = 2000;
const WAY_MS = 2;
const LOST = 0.1;

export class Caller {
  /** He knows all that he will hear. */
  isOver = false;
  jid: string | undefined;
  refusal: string | undefined;
  readonly #returned = new Set<string>();
  readonly #follow: 'all' | 'jid';

  constructor(
    private readonly world: World,
    private readonly ask: SignedRequest,
  ) {
    this.#follow = world.dice.chance(0.75) ? 'all' : 'jid';
  }

  start(): void {
    const converse = (_question: unknown, _answers: unknown, silenceMs: number, hear: Hearing) =>
      this.#converse(silenceMs, hear);
    const patienceMs = (this.ask.request.timeout + PATIENCE_S) * 1000;
    // Only what it converses with, and the question is passed on to that as it is.
    new Following({ converse } as unknown as SealedBus, undefined as never, patienceMs, {
      onNews: (news) => this.#hear(news),
      onFailure: (failure) => {
        this.world.say(`the caller hears nothing more: ${failure}`);
        this.isOver = true;
      },
    }).start();
  }

  #hear({ refusal, started, returns, end }: News): boolean {
    const { world } = this;
    if (started !== null && this.jid !== undefined) world.break('a caller hears the start of his job once');
    this.jid ??= started?.jid;
    this.refusal ??= refusal?.code;
    for (const { id } of returns) {
      if (this.#returned.has(id)) world.break('a caller hears each return once');
      this.#returned.add(id);
    }
    this.isOver ||= refusal !== null || end !== null || (this.#follow === 'jid' && started !== null);
    return this.isOver;
  }

  #converse(silenceMs: number, hear: Hearing): void {
    const { world } = this;
    const gateway = world.dice.anyOf(world.alive);
    const silence = new Silence(gateway === undefined ? NOBODY_MS : silenceMs, () => {
      hear.onFailure(gateway === undefined ? 'no_responders' : 'timeout');
    });
    if (gateway === undefined) return;
    world.say(`the caller asks ${gateway.instance}`);
    const onNews = (news: News) => {
      setTimeout(
        () => {
          if (silence.isOver || (world.trouble.strikes('message') && world.dice.chance(LOST))) return;
          silence.begin();
          if (saysSomething(news)) world.say(`the caller hears of ${gateway.instance}: ${inWords(news)}`);
          if (hear.onAnswer(news) === 'done') silence.end();
        },
        world.cutMs(gateway) + WAY_MS,
      );
    };
    setTimeout(() => this.#arrive(gateway, onNews), world.cutMs(gateway) + world.dice.from(1, 5));
  }

  #arrive(gateway: AnyGateway, onNews: (news: News) => void): void {
    gateway.handle(this.ask, this.#follow, onNews);
  }
}

/** Ends a conversation when nothing is said for so long. */
class Silence {
  isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ms: number,
    private readonly onSilence: () => void,
  ) {
    this.begin();
  }

  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.onSilence();
    }, this.ms);
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
  }
}

function inWords({ refusal, started, returns, end }: News): string {
  const words = [
    refusal?.code ?? '',
    started === null ? '' : `started as ${started.jid}`,
    ...returns.map(({ id }) => `returned by ${id}`),
    end === null ? '' : 'the end',
  ];
  return words.filter((word) => word !== '').join(', ');
}
