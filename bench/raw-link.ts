/**
 * Request/reply on the bare broker between two processes: plain transport-node, 256 bytes each way, one at a time. This is
 * what every figure is compared with.
 */
import { spawn } from 'node:child_process';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Run } from './bench.js';
import type { Cluster } from './cluster.js';
import { asOperator } from './operator.js';
import { SELF } from './places.js';

/** First argument of this same bundle when it is started as the other process. */
export const RESPONDER = '--raw-responder';

const PAYLOAD = new Uint8Array(256).fill(0x6e);
const SUBJECT = 'bench.raw';
const TIMEOUT_MS = 5000;

export class RawLink {
  private constructor(
    private readonly connection: NatsConnection,
    /** Ends the responder and the connection. */
    readonly close: () => Promise<void>,
  ) {}

  static async open(run: Run, { brokerUrl, folder }: Cluster): Promise<RawLink> {
    const child = spawn(process.execPath, [SELF, RESPONDER, brokerUrl, SUBJECT, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Its standard input is the lifeline: the responder ends when this process does.
    child.stdin.on('error', () => undefined);
    const forget = run.atEnd(() => void child.kill());
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('exit', () => {
        reject(new Error('the raw responder ended'));
      });
    });
    const connection = await connect({ servers: brokerUrl, name: 'bench-raw', ...(await asOperator(folder)) });
    return new RawLink(connection, async () => {
      forget();
      child.kill();
      await connection.close();
    });
  }

  /** One request and its reply. */
  async once(): Promise<void> {
    const { data } = await this.connection.request(SUBJECT, PAYLOAD, { timeout: TIMEOUT_MS });
    if (data.length !== PAYLOAD.length) throw new Error('the raw responder answered something else');
  }
}

/** The other process: answers with what came, until its standard input ends. */
export async function answerRaw(url: string, subject: string, state: string): Promise<void> {
  const connection = await connect({ servers: url, name: 'bench-raw-responder', ...(await asOperator(state)) });
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) message.respond(message.data);
    },
  });
  await connection.flush();
  process.stdout.write('ready\n');
  process.stdin.on('end', () => process.exit(0)).resume();
}
