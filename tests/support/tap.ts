/** A connection that hears what everyone sends through the broker, as its operator could; it opens nothing. */
import { type Authenticator, connect, type NatsConnection } from '@nats-io/transport-node';
import { until } from '@natrium/testing';
import { isFounded, operatorLogin } from './broker-operator.js';

export interface Tapped {
  readonly subject: string;
  readonly payload: Uint8Array;
}

const AGAIN_MS = 20;
/** Half a minute: a broker that does not come must not hold a test up for ever. */
const TRIES = 1500;

export class Tap {
  #heard: Tapped[] = [];
  #listeners: (() => void)[] = [];

  private constructor(
    private readonly connection: NatsConnection,
    subject: string,
  ) {
    connection.subscribe(subject, {
      callback: (error, { subject: at, data }) => {
        if (error !== null) return;
        this.#heard.push({ subject: at, payload: data });
        for (const listener of this.#listeners) listener();
      },
    });
  }

  /** Waits for a broker that is still starting. @param state The state folder of its cluster; without one the broker asks for nobody. */
  static async open(url: string, state?: string, subject = '>'): Promise<Tap> {
    const authenticator = state === undefined ? undefined : await loginOnceFounded(state);
    const waiting = {
      waitOnFirstConnect: true,
      maxReconnectAttempts: TRIES,
      reconnectTimeWait: AGAIN_MS,
      reconnectJitter: 0,
    };
    const tap = new Tap(
      await connect({
        servers: url,
        name: 'tap',
        ...waiting,
        ...(authenticator === undefined ? {} : { authenticator }),
      }),
      subject,
    );
    await tap.connection.flush();
    return tap;
  }

  /** What has been heard since the last `take`. */
  get heard(): readonly Tapped[] {
    return this.#heard;
  }

  /** All that the broker has passed on since the last call of this. */
  async take(): Promise<readonly Tapped[]> {
    await this.connection.flush();
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  /** Resolves when what has been heard, now or later, is enough. */
  until(isEnough: (heard: readonly Tapped[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isEnough(this.#heard)) return;
        this.#listeners = this.#listeners.filter((listener) => listener !== look);
        resolve();
      };
      this.#listeners.push(look);
      look();
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

async function loginOnceFounded(state: string): Promise<Authenticator | undefined> {
  await until('the cluster is founded', () => isFounded(state));
  return operatorLogin(state);
}
