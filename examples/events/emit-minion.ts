/** Fires an event on the event bus of this minion. Usage: emit-minion.mjs SOCKET */
import { EventClient } from '@natrium/events';

const bus = new EventClient(process.argv[2] ?? ''); // minion_event.sock in the minion's sock_dir
await bus.fire('mytag', { message: 'hello, minion' });
await bus.close();
