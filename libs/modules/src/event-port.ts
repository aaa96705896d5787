/** What the `event` module needs of the agent: the bus of this host, and the way to the master's. */
import type { Value, ValueMap } from '@natrium/model';

/** For whoever fired what is not kept yet. */
export const NOT_KEPT =
  "neither this host's disk nor the master took the event in time: it waits in memory and is sent when one does, unless the agent ends before";

export interface EventPort {
  /** On the bus of this host. */
  fire(data: ValueMap, tag: string): Promise<void>;
  /**
   * On the master's bus, in Salt's payload; resolves to true when this host has written it down, or the master has it: it will not be lost
   * any more. To false when neither is so after some seconds: it waits in memory.
   *
   * @param load What else that payload holds.
   * @throws {Error} When the tag is not one that this minion may fire, or there is no room.
   */
  fireMaster(data: Value, tag: string, load?: ValueMap): Promise<boolean>;
}
