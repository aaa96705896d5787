/** A webhook: one signed POST for each event, in their order. */
import { type Heard, lineOf } from '@natrium/events';
import { PostRefused, postSigned, type Webhook } from '@natrium/modules';
import { type Destination, EventRefused } from './destination.js';

export class WebhookDestination implements Destination {
  readonly atOnce = 1;

  constructor(private readonly webhook: Webhook) {}

  async deliver(events: readonly Heard[]): Promise<void> {
    for (const event of events) {
      try {
        await postSigned(this.webhook, { id: event.id, body: lineOf(event).trimEnd() });
      } catch (cause) {
        throw cause instanceof PostRefused ? new EventRefused(cause.message, { cause }) : cause;
      }
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
