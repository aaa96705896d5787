/** Fires an event on the event bus of this master. Usage: emit-master.mjs SOCKET */
import { EventClient } from '@natrium/events';

const bus = new EventClient(process.argv[2] ?? ''); // master_event.sock in the master's sock_dir
await bus.fire('mytag', { message: 'hello, master' });
await bus.close();
