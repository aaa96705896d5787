/** Rules of free ports. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { freePort, isFree } from './free-port.js';

async function listeningAt(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it('a port on which somebody listens is not free, and is free again afterwards', async () => {
  const server = await listeningAt(0);
  const { port } = server.address() as AddressInfo;
  expect(await isFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isFree(port)).toBe(true);
});

it.each([1, 4])('of %i in a row each can be listened on', async (count) => {
  const first = await freePort(count);
  const servers = await Promise.all(Array.from({ length: count }, (_, n) => listeningAt(first + n)));
  expect(servers).toHaveLength(count);
  for (const server of servers) server.close();
});

it('more in a row than there are ports are not found', async () => {
  await expect(freePort(65_536)).rejects.toThrow('no 65536 free ports in a row were found');
});
