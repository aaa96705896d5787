/** A broker's nodes begin a test heard by each other: one that is not is started again, and the test waits for it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@natrium/testing';
import { BrokerNodes } from '../support/broker-nodes.js';
import { allHeard, type StartedNode, whileHeard } from '../support/heard-nodes.js';

const LONG_MS = 240_000;

let nodes: BrokerNodes;
let server: Server;
let isDeaf = true;
let killed: string[] = [];
let watched: readonly StartedNode[];

beforeAll(async () => {
  nodes = await BrokerNodes.make(2);
  await nodes.startOne();
  await nodes.startOne();
  const [first, second] = nodes.nodes;
  if (first === undefined || second === undefined) throw new Error('two nodes were started');
  // A deaf start cannot be had at will: its figures are of a node that has said nothing, of a version that may, until it is killed.
  server = createServer((request, response) => {
    void fetch(`${second.monitor}${request.url ?? ''}`).then(async (answer) => {
      const text = await answer.text();
      const isRoutes = request.url?.startsWith('/routez') ?? false;
      const deaf = isRoutes ? text.replace(/"msgs": \d+/g, '"msgs": 0') : text;
      const told = (isDeaf ? deaf : text).replace(/"version": "[^"]*"/, '"version": "2.10.27"');
      response.writeHead(answer.status).end(told);
    }, () => response.destroy()); // prettier-ignore
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const monitor = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const told = (node: StartedNode) => ({
    ...node,
    kill: () => {
      killed.push(node.name);
      if (node.name === second.name) isDeaf = false;
      node.kill();
    },
  });
  watched = [told(first), { ...told(second), monitor }];
}, LONG_MS);

beforeEach(() => {
  killed = [];
});

afterAll(async () => {
  server.close();
  await nodes.stop();
});

it(
  'a node that hears and is not heard is started again, and then all of them are heard',
  async () => {
    await allHeard(watched);
    // Whoever is killed may start deaf indeed, and then is killed again.
    expect(killed[0]).toBe(watched[1]?.name);
  },
  LONG_MS,
);

it(
  'one that is no longer heard while the test goes on is started again too, and none without a reason',
  async () => {
    await whileHeard(watched, async () => {
      killed = [];
      isDeaf = true;
      await until('it is started again', () => killed.length > 0, LONG_MS);
    });
    expect(killed).toEqual([watched[1]?.name]);
  },
  LONG_MS,
);
