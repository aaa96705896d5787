/**
 * The check of a broker node. `node check-broker.mjs` ends with 0 when the node has caught up and the others hear it, with 2
 * when it has to be started again, because they do not hear it (heard.mjs) or it waits for what nobody has (stale.mjs), else with 1.
 * `--heal` is the health check of its container: 0 while JetStream is on; a node that has to be started again is ended, and its
 * supervisor does that. The last word is the address, if it is another.
 */
import { appendFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { heardIn, judged, mayBeUnheard, saidIn } from './heard.mjs';
import { isStale } from './stale.mjs';

/** Together longer than the 9 s after which whoever has no leader asks for votes, and shorter than a health check may take. */
const [LOOKS, LOOK_MS] = [12, 1000];
const NO_LEADER = 'contact with a meta leader';
const heals = process.argv.includes('--heal');
// To an engine, 2 is no word of a health check.
const CODES = heals ? { heard: 0, unknown: 0, unheard: 1, stale: 1 } : { heard: 0, unknown: 1, unheard: 2, stale: 2 };
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
  const { system_account: account, cluster, version } = await asked('/varz');
  if (cluster?.name === undefined || !mayBeUnheard(version)) return 'heard';
  const said = async () => saidIn(await asked('/routez?subs=detail'), account);
  const count = async () => ({
    heard: heardIn(await asked(`/subsz?subs=1&limit=100000&acc=${encodeURIComponent(account)}`)),
    led: (await asked('/routez')).num_routes === 0 || !(await health()).includes(NO_LEADER),
  });
  if ((await said()) > 0) return 'heard';
  const before = await count();
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(LOOK_MS);
    if ((await said()) > 0) return 'heard';
  }
  return judged(before, await count());
}

const WHY = {
  unheard: 'is not heard by the others',
  stale: 'waits for a consumer that nobody has',
};

function end(word) {
  const why = `natrium: this node ${WHY[word]}: it is started again\n`;
  try {
    appendFileSync('/proc/1/fd/2', why);
  } catch {
    process.stderr.write(why); // The container's log cannot be written to; its health's can.
  }
  process.kill(1, 'SIGTERM');
}

try {
  // Without JetStream there is no Raft, and nothing to say.
  await asked('/healthz?js-enabled-only=true');
  const heard = await hearing();
  const word = heard !== 'unheard' && (await isStale(health, () => pause(LOOK_MS))) ? 'stale' : heard;
  if (word in WHY && heals) end(word);
  if (word === 'heard' && !heals) await asked('/healthz');
  process.exitCode = CODES[word];
  if (word in WHY) process.stderr.write(`this node ${WHY[word]}\n`);
  else if (process.exitCode !== 0) process.stderr.write('whether the other nodes hear this one is not known yet\n');
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
