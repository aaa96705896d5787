/**
 * The check of a broker node. `node check-broker.mjs` ends with 0 when the node has caught up and the others hear it, with 2
 * when they do not hear it, else with 1.
 * `--heal` is the health check of its container: 0 while JetStream is on; a node that is not heard is ended, and its supervisor
 * starts it again (heard.mjs says why that is needed and that it helps), and so is one that found no leader in a minute though it
 * has routes: two of three that are not heard elect none. The last word is the address, if it is another.
 */
import { appendFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { counted, judged, seemsHeard } from './heard.mjs';

const LOOK_MS = 3000;
const LEADER_MS = 60_000;
const NO_LEADER = 'contact with a meta leader';
const heals = process.argv.includes('--heal');
// To an engine, 2 is no word of a health check.
const CODES = heals ? { heard: 0, unknown: 0, unheard: 1 } : { heard: 0, unknown: 1, unheard: 2 };
const base = process.argv.slice(2).find((word) => word.startsWith('http')) ?? 'http://127.0.0.1:8222';

function asked(path) {
  return new Promise((resolve, reject) => {
    const question = get(`${base}${path}`, { timeout: 3000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(text));
      });
    });
    question.on('timeout', () => question.destroy(new Error(`${base} does not answer`))).on('error', reject);
  });
}

/** @returns What is wrong; empty when nothing is. */
function health() {
  return asked('/healthz').then(
    () => '',
    (error) => error.message,
  );
}

async function hearing() {
  const { system_account: account, cluster, start, now } = await asked('/varz');
  if (cluster?.name === undefined) return 'heard';
  const count = async () => counted(await asked('/routez'), account);
  const before = await count();
  const isOld = Date.parse(now) - Date.parse(start) > LEADER_MS;
  if (before.routes > 0 && isOld && (await health()).includes(NO_LEADER)) return 'unheard';
  if (heals && seemsHeard(before)) return 'heard';
  await pause(LOOK_MS);
  return judged(before, await count());
}

function end() {
  const why = 'natrium: this node is not heard by the others: it is started again\n';
  try {
    appendFileSync('/proc/1/fd/2', why);
  } catch {
    process.stderr.write(why); // The container's log cannot be written to; its health's can.
  }
  process.kill(1, 'SIGTERM');
}

try {
  const word = await hearing();
  if (word !== 'unheard') await asked(heals ? '/healthz?js-enabled-only=true' : '/healthz');
  else if (heals) end();
  process.exitCode = CODES[word];
  if (process.exitCode !== 0) process.stderr.write(`by the other nodes: ${word}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
