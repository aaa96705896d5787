/** The process of an event-sink: `node main.mjs -c DIR`. */
import { runService } from '@natrium/edge';
import { SinkModule } from './sink.module.js';

export const ended = runService('sink', (start) => SinkModule.create(start));
