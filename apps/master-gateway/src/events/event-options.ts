/** What the master file says of events, in the units that the code counts in. */
import type { ServiceConfig } from '@natrium/edge';
import type { EventOptions } from './master-events.js';

export function eventOptions({ sockDir, loaded: { config } }: ServiceConfig): EventOptions {
  return {
    keep: { keepMs: config.keep_events * 3_600_000, maxBytes: config.keep_events_bytes },
    sockDir,
    maxBytes: config.max_event_size,
    presence: config.presence_events,
    acl: config.event_acl,
  };
}
