/** The HTTP API: `POST /` for three minions, and many listeners of events, each with a stream of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { freePort } from '@natrium/process';
import type { Bench, Run } from '../bench.js';
import type { Cluster } from '../cluster.js';
import { type Measured, median, usualAndSlow } from '../figures.js';
import { memoryBelow } from '../processes.js';
import { RawLink } from '../raw-link.js';
import { interleave } from '../sampling.js';

const CALLS = { count: 1000, limitMs: 30_000 };
/** As for `peer-publish`: the first five hundred calls cost nearly three times the processor time of the four thousandth. */
const WARM_UP = { count: 3000, limitMs: 30_000 };
const LISTENERS = 500;
const EVENTS = 500;
/** 100 events a second. */
const EVERY_MS = 10;
const SETTLE_MS = 20_000;
const PING = JSON.stringify({ client: 'local', tgt: '*', fun: 'test.ping' });

export const http: Bench = {
  name: 'http',
  about: 'POST / test.ping on three minions; 500 listeners of /events at 100 events a second, and what is lost',
  measure: async (run) => {
    const api = await openApi(run);
    const call = async () => {
      if (!(await api.post('/', PING)).includes('"c": true')) throw new Error('not every minion answered');
    };
    const raw = await RawLink.open(run, api.cluster);
    await interleave(WARM_UP, () => raw.once(), call);
    const times = await interleave(CALLS, () => raw.once(), call);
    await raw.close();
    return [...usualAndSlow('POST / test.ping, ', times.ours, times.raw), ...(await listeners(api))];
  },
};

interface Api {
  readonly cluster: Cluster;
  post(path: string, body: string): Promise<string>;
  /** Counts the events whose tag begins so, from when it resolves on. */
  listen(tag: string, heard: () => void): Promise<() => void>;
  gatewayMb(): number;
}

async function openApi(run: Run): Promise<Api> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'natrium-bench-http-'));
  run.atEnd(() => {
    rmSync(folder, { recursive: true });
  });
  const users = join(folder, 'users');
  writeFileSync(users, `bench:${hashSync('bench', 4)}\n`);
  const cluster = await run.startCluster('http', {
    master: `request_rate: 0\nnetapi_enable_clients: [local]\nexternal_auth:\n  file:\n    ^filename: ${users}\n    ^filetype: htpasswd\n    bench: ['.*', '@runner']\n`,
    words: ['--http-port', String(port)],
  });
  const agent = new Agent({ keepAlive: true });
  const to = { host: '127.0.0.1', port, agent };
  const login = JSON.stringify({ username: 'bench', password: 'bench', eauth: 'file' });
  const { token } = (JSON.parse(await post(to, '/login', login, '')) as { return: [{ token: string }] }).return[0];
  return {
    cluster,
    post: (path, body) => post(to, path, body, token),
    listen: (tag, heard) => listen(port, token, tag, heard),
    gatewayMb: () => memoryBelow(cluster.pid).find(({ name }) => name === 'master-gateway')?.rss ?? Number.NaN,
  };
}

async function listeners(api: Api): Promise<readonly Measured[]> {
  const before = api.gatewayMb();
  let heard = 0;
  const ends = [];
  for (let at = 0; at < LISTENERS; at += 1) {
    ends.push(
      await api.listen('tag: salt/netapi/hook/bench', () => {
        heard += 1;
      }),
    );
  }
  const began = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < EVENTS; n += 1) {
    answers.push(fire(api, n));
    await pause(Math.max(0, began + (n + 1) * EVERY_MS - performance.now()));
  }
  const times = await Promise.all(answers);
  const fired = performance.now() - began;
  for (const until = performance.now() + SETTLE_MS; heard < LISTENERS * EVENTS && performance.now() < until;) {
    await pause(EVERY_MS);
  }
  const after = api.gatewayMb();
  for (const end of ends) end();
  return [
    { metric: `events to ${String(LISTENERS)} listeners, lost`, unit: 'events', value: LISTENERS * EVENTS - heard },
    { metric: 'events fired', unit: '1/s', value: (EVENTS * 1000) / fired },
    { metric: 'POST /hook with the listeners, p50', unit: 'ms', value: median(times) },
    { metric: 'gateway before the listeners', unit: 'MB', value: before },
    { metric: 'gateway with them', unit: 'MB', value: after },
  ];
}

/** @returns Milliseconds until it is stored, which the answer says. */
async function fire(api: Api, n: number): Promise<number> {
  const began = performance.now();
  await api.post('/hook/bench', `{"n":${String(n)}}`);
  return performance.now() - began;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly agent: Agent;
}

function post(to: Target, path: string, body: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Auth-Token': token,
      'Content-Length': Buffer.byteLength(body),
    };
    const asked = request({ ...to, path, method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${String(answer.statusCode)} ${text}`));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** As lean as can be: five hundred of them and the gateway share this machine's cores. */
function listen(port: number, token: string, tag: string, heard: () => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let rest = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Auth-Token: ${token}\r\n\r\n`);
    });
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith(tag)) heard();
    });
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').startsWith('HTTP/1.1 200 ')) resolve(() => socket.destroy());
      else reject(new Error(chunk.toString('latin1')));
    });
    socket.on('error', reject);
  });
}
