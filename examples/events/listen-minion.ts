/** Listens on the event bus of this minion. Usage: listen-minion.mjs SOCKET [TAG…] */
import { EventClient } from '@natrium/events';

const [path = '', ...tags] = process.argv.slice(2); // minion_event.sock in the minion's sock_dir
for await (const { tag, data } of await new EventClient(path).subscribe({ tags })) {
  console.log(tag, JSON.stringify(data));
}
