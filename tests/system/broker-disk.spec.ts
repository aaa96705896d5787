/** A broker whose disk is full: whoever writes hears it at once, and nothing that was acknowledged is lost. */
import { NatsTransport, openBucket, writeTrouble } from '@natrium/bus';
import { until } from '@natrium/testing';
import { BrokerNodes } from '../support/broker-nodes.js';
import { SmallDisk } from './small-disk.js';

const LONG_MS = 120_000;
let nodes: BrokerNodes;
let disk: SmallDisk;
let transport: NatsTransport;
const alerts: string[] = [];
const overs: string[] = [];
beforeAll(async () => {
  nodes = await BrokerNodes.make(1);
  disk = SmallDisk.mount(nodes.folder, 8192);
  await nodes.startOne();
  transport = await NatsTransport.connect({
    servers: [nodes.url],
    name: 'test',
    waitOnFirstConnect: true,
    onAlert: (alert) => alerts.push(alert),
    onOver: (sentence) => overs.push(sentence),
  });
}, LONG_MS);
afterAll(async () => {
  await transport.drain();
  await nodes.stop(() => {
    disk.unmount();
  });
});

it(
  'says so at the first write that it does not take; what it took before is there when it was started again with room',
  async () => {
    const bucket = await openBucket(transport, { name: 'FULL', replicas: 1, ttlMs: 0 });
    const taken: string[] = [];
    let refusal = '';
    for (let n = 0; n < 200 && refusal === ''; n += 1) {
      if (n === 20) disk.fill();
      const key = `k${String(n)}`;
      await bucket.put(key, new Uint8Array(10_000)).then(
        () => taken.push(key),
        (cause: unknown) => (refusal = String(cause)),
      );
    }
    expect(refusal).toMatch(/JetStream/);
    expect(alerts).toEqual([expect.stringContaining('the broker takes no writes to FULL')]);
    expect(writeTrouble(transport)).toMatch(/look at its disk/);

    disk.free();
    nodes.killFirst();
    await until('the broker is back', async () => {
      const put = bucket.put('after', Uint8Array.of(1));
      return put.then(
        () => true,
        () => false,
      );
    });
    for (const key of taken) expect((await bucket.get(key))?.value).toHaveLength(10_000);
    expect(writeTrouble(transport)).toBeUndefined();
    expect(overs).toContain('the broker takes writes to FULL again');
  },
  LONG_MS,
);
