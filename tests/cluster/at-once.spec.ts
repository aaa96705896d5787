/** Three callers at the same moment, a hundred times: each hears its own answer, and nothing runs twice. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectMaster } from '../../apps/cli/src/link/connect-master.js';
import type { MasterLink } from '../../apps/cli/src/ports.js';
import type { AgentSocket } from '../support/agent-socket.js';
import { PEER_ALL } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
/** Starting three processes takes a second on a busy machine; NATRIUM_PROCESS_ROUNDS=100 makes all rounds processes. */
const PROCESS_ROUNDS = Number(process.env['NATRIUM_PROCESS_ROUNDS'] ?? 20);
const SOCKET_ROUNDS = 80;
const ROUNDS_MS = 30_000 + PROCESS_ROUNDS * 3000;
const COUNTED = ['test.echo', 'cmd.run'];

/** The word of every counted call. */
const counted: string[] = [];

const cluster = useCluster({ minions: MINIONS, masterConfig: PEER_ALL });
let ran: string;

beforeAll(() => {
  ran = join(cluster().folder, 'ran');
});

it(
  `answers each of three processes its own word, ${PROCESS_ROUNDS} times`,
  async () => {
    const began = performance.now();
    for (let round = 0; round < PROCESS_ROUNDS; round += 1) {
      const [peer = '', one = '', two = ''] = words(3);
      const said = await Promise.all([
        cluster().call('a', 'publish.publish', '*', 'test.echo', peer, '--out=json'),
        cluster().natrium('*', COUNTED.join(','), one, ',', leavingMark(one), '--static', '--out=json'),
        cluster().natrium('*', COUNTED.join(','), two, ',', leavingMark(two), '--static', '--out=json'),
      ]);
      counted.push(one, two);
      expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(said.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual([
        { local: fromEach(peer) },
        fromEach(bothOf(one)),
        fromEach(bothOf(two)),
      ]);
    }
    printFigure('one round of three processes at once', (performance.now() - began) / PROCESS_ROUNDS);
  },
  ROUNDS_MS,
);

it(
  `answers each of three open connections its own word, ${SOCKET_ROUNDS} times`,
  async () => {
    const socket = await cluster().socket('a');
    const links = await Promise.all([masterLink(), masterLink()]);
    const began = performance.now();
    for (let round = 0; round < SOCKET_ROUNDS; round += 1) await atOnce(socket, links);
    printFigure('one round of three calls at once, without process start', (performance.now() - began) / SOCKET_ROUNDS);
    socket.close();
    for (const link of links) await link.close();
  },
  ROUNDS_MS,
);

it('has run every counted call once on each minion', () => {
  const lines = readFileSync(ran, 'utf8').trimEnd().split('\n').sort();
  expect(lines).toEqual(counted.flatMap((word) => MINIONS.map(() => word)).sort());
});

async function atOnce(socket: AgentSocket, links: readonly MasterLink[]): Promise<void> {
  const [peer = '', ...own] = words(1 + links.length);
  const answers = await Promise.all([
    socket.call('publish.publish', '*', 'test.echo', peer).then(({ ret }) => ret),
    ...links.map((link, at) => returnsOf(link, own[at] ?? '')),
  ]);
  counted.push(...own);
  expect(answers).toEqual([fromEach(peer), ...own.map((word) => fromEach(bothOf(word)))]);
}

async function returnsOf(link: MasterLink, word: string): Promise<unknown> {
  const ask = { tgt: '*', tgtType: 'glob', timeout: 10, returner: '', returnerOptions: {}, options: {} };
  const returns: [string, unknown][] = [];
  for await (const news of link.publish({ ...ask, funs: COUNTED, args: [[word], [leavingMark(word)]] })) {
    if (news.type === 'return') returns.push([news.id, news.ret]);
    if (news.type === 'refused') throw new Error(news.refusal.sentence);
  }
  return Object.fromEntries(returns);
}

async function masterLink(): Promise<MasterLink> {
  const link = await connectMaster({ configDir: cluster().master });
  if (!link.ok) throw new Error(link.error.sentence);
  return link.value;
}

/** Begins with a letter, so that no word reads as a number. */
function words(count: number): readonly string[] {
  return Array.from({ length: count }, () => `w${randomBytes(8).toString('hex')}`);
}

/** One line in a file each time that it runs; it prints the word. */
function leavingMark(word: string): string {
  return `sh -c 'echo ${word} >> ${ran}; echo ${word}'`;
}

function bothOf(word: string) {
  return { 'test.echo': word, 'cmd.run': word };
}

function fromEach<T>(value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(MINIONS.map((id) => [id, value]));
}
