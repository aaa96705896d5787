/** A broker's nodes begin a test heard by each other: one that is not is started again, and the test waits for it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BrokerNodes } from '../support/broker-nodes.js';
import { allHeard } from '../support/heard-nodes.js';

const LONG_MS = 240_000;

let nodes: BrokerNodes;
beforeAll(async () => {
  nodes = await BrokerNodes.make(2);
  await nodes.startOne();
  await nodes.startOne();
}, LONG_MS);
afterAll(() => nodes.stop());

it(
  'a node that hears and is not heard is started again, and then all of them are heard',
  async () => {
    const [first, second] = nodes.nodes;
    if (first === undefined || second === undefined) throw new Error('two nodes were started');
    const killed: string[] = [];
    // A deaf start cannot be had at will: its figures are of a node that hears and is not heard, until it is killed.
    const server = createServer((request, response) => {
      void fetch(`${second.monitor}${request.url ?? ''}`).then(async (answer) => {
        const text = await answer.text();
        const isHeard = killed.length > 0;
        response.writeHead(answer.status).end(isHeard ? text : text.replace(/"out_msgs": \d+/g, '"out_msgs": 0'));
      }, () => response.destroy()); // prettier-ignore
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const monitor = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const kills = (node: typeof first) => ({
      ...node,
      kill: () => {
        killed.push(node.name);
        node.kill();
      },
    });
    await allHeard([kills(first), { ...kills(second), monitor }]);
    // Whoever is killed may start deaf indeed, and then is killed again.
    expect(killed[0]).toBe(second.name);
    server.close();
  },
  LONG_MS,
);
