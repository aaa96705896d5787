/** Fires a list of five events on the master's bus, from a minion. Usage: minion-to-master.mjs SOCKET */
import { EventClient } from '@natrium/events';

const events = [1, 2, 3, 4, 5].map((n) => ({ tag: `monitoring/${n}`, data: { message: `event ${n}` } }));
const bus = new EventClient(process.argv[2] ?? ''); // minion_event.sock in the minion's sock_dir
await bus.fire('fire_master', { events });
await bus.close();
