/**
 * Runs the scripts of examples/events against a cluster of its own and writes what they say into docs/event-bus.md, between
 * two markers: `node tools/event-transcript.mjs`. It needs the build (`npm run build`) and python3.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './programs.mjs';

const PAGE = join(root, 'docs', 'event-bus.md');
const [BEGIN, END] = ['<!-- transcript: written by `node tools/event-transcript.mjs` -->', '<!-- /transcript -->'];
const state = mkdtempSync(join(tmpdir(), 'nt-tr-'));
const lines = [];
const sockets = { minion: 'minions/web1/run/minion_event.sock', master: 'master/run/master_event.sock' };

const script = (name) => (name.endsWith('.py') ? ['python3', join(root, 'examples/events', name)] : [process.execPath, join(root, 'dist/examples', name)]); // prettier-ignore
const shown = (name, place, words) =>
  `${name} ${place}_event.sock ${words.map((word) => `'${word}'`).join(' ')}`.trim();

/** Starts a listener; `heard(count)` resolves with its next lines. */
function listen(name, place, tag) {
  const [file, ...args] = script(name);
  const child = spawn(file, [...args, join(state, sockets[place]), tag], { stdio: ['ignore', 'pipe', 'inherit'] });
  const reader = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async heard(count) {
      const said = [];
      while (said.length < count) said.push((await reader.next()).value);
      child.kill();
      return said;
    },
  };
}

function run(command, said) {
  const [file, ...args] = command;
  const { stdout, stderr, status } = spawnSync(file, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${said} ended with ${status}: ${stderr}`);
  return stdout.trimEnd();
}

async function scene({ listener, place, tag, fire, count }) {
  const ear = listen(listener, place, tag);
  await pause(1000); // until it has subscribed
  const said = run(fire.command, fire.shown);
  const heard = await ear.heard(count);
  lines.push(
    `$ ${shown(listener, place, [tag])} &`,
    `$ ${fire.shown}`,
    ...(said === '' ? [] : said.split('\n')),
    ...heard,
    '',
  );
}

const emit = (name, place) => ({
  command: [...script(name), join(state, sockets[place])],
  shown: shown(name, place, []),
});
const call = {
  command: [process.execPath, join(root, 'dist/cli/natrium-call.mjs'), '-c', join(state, 'minions/web1'), 'event.fire_master', '{"data": "message for the master"}', 'mytag'], // prettier-ignore
  shown: `natrium-call event.fire_master '{"data": "message for the master"}' 'mytag'`,
};

const up = spawn(process.execPath, [join(root, 'dist/cli/natriumctl.mjs'), 'up', '--state', state, '--minions', 'web1'], { stdio: ['ignore', 'pipe', 'ignore'] }); // prettier-ignore
try {
  for await (const line of createInterface({ input: up.stdout })) if (line.startsWith('ready')) break;
  for (const kind of ['.py', '.mjs']) {
    const named = (name) => (kind === '.py' ? `${name.replaceAll('-', '_')}.py` : `${name}.mjs`);
    await scene({ listener: named('listen-minion'), place: 'minion', tag: 'mytag', fire: emit(named('emit-minion'), 'minion'), count: 1 }); // prettier-ignore
    await scene({ listener: named('listen-master'), place: 'master', tag: 'mytag', fire: emit(named('emit-master'), 'master'), count: 1 }); // prettier-ignore
    await scene({ listener: named('listen-master'), place: 'master', tag: 'monitoring/', fire: emit(named('minion-to-master'), 'minion'), count: 5 }); // prettier-ignore
  }
  await scene({ listener: 'listen_master.py', place: 'master', tag: 'mytag', fire: call, count: 1 });
} finally {
  up.kill('SIGINT');
  await new Promise((resolve) => up.once('exit', resolve));
  rmSync(state, { recursive: true, force: true });
}
const page = readFileSync(PAGE, 'utf8');
const [before, rest = ''] = page.split(BEGIN);
const [, after = ''] = rest.split(END);
writeFileSync(PAGE, `${before}${BEGIN}\n\n\`\`\`\n${lines.join('\n').trimEnd()}\n\`\`\`\n\n${END}${after}`);
process.exit(0);
