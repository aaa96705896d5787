/** What the `event` module needs of the agent: the bus of this host, and the way to the master's. */
import type { Value, ValueMap } from '@natrium/model';

export interface EventPort {
  /** On the bus of this host. */
  fire(data: ValueMap, tag: string): Promise<void>;
  /**
   * On the master's bus, in Salt's payload; resolves when this host has written it down and will not lose it any more.
   *
   * @param load What else that payload holds.
   * @throws {Error} When the tag is not one that this minion may fire, or there is no room.
   */
  fireMaster(data: Value, tag: string, load?: ValueMap): Promise<void>;
}
