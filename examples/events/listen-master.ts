/** Listens on the event bus of this master. Usage: listen-master.mjs SOCKET [TAG…] */
import { EventClient } from '@natrium/events';

const [path = '', ...tags] = process.argv.slice(2); // master_event.sock in the master's sock_dir
for await (const { tag, data } of await new EventClient(path).subscribe({ tags })) {
  console.log(tag, JSON.stringify(data));
}
