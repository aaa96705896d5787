/**
 * By what gateways know an event of this service when it is asked for again: a lane, and a number in it that rises.
 *
 * Of a lane one event is under way at a time: what comes late, after a later number, is dropped. Lanes are used again, since the broker
 * holds the name of each in its memory for as long as events are kept.
 *
 * Spec: spec/wire.md#fire.
 */
import { randomBytes } from 'node:crypto';

const LANE_BYTES = 16;

export interface Place {
  readonly lane: Uint8Array;
  readonly number: number;
}

export class Lanes {
  readonly #free: Place[] = [];

  /** A place for one event, until `free`. */
  take(): Place {
    const { lane, number } = this.#free.pop() ?? { lane: new Uint8Array(randomBytes(LANE_BYTES)), number: 0 };
    return { lane, number: number + 1 };
  }

  /** Nothing more is asked for this place: its lane may have the next. */
  free(place: Place): void {
    this.#free.push(place);
  }
}
