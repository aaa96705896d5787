/** What a tap on the broker hears of one publish: subjects and sizes, and none of the words that went through. */
import { DB1, WEB1, WEB2 } from '../support/examples.js';
import { holds } from '../support/search.js';
import { Tap, type Tapped } from '../support/tap.js';
import type { UpCluster } from '../support/up-cluster.js';
import { answer, command, heading, line, paragraph, verdict } from './page.js';

const WORD = 'wordofthedemo';
/** Ids, function, argument, and how a target on them begins. */
const LOOKED_FOR = [WEB1, WEB2, DB1, 'example.com', 'test.echo', 'publish.publish', WORD];
const SUBJECT_COLUMNS = 78;
const JOBS = 3;

/** @returns what is wrong, in words; empty when the tap heard the whole publish and none of its words. */
export async function showTap(cluster: UpCluster): Promise<readonly string[]> {
  heading('What a tap on the broker sees of one publish');
  const tap = await Tap.open(cluster.brokerUrl, cluster.folder);
  await tap.take();
  const typed = `natrium-call publish.publish \\* test.echo ${WORD}`;
  command(WEB1, typed);
  const ran = await cluster.call(WEB1, 'publish.publish', '*', 'test.echo', WORD);
  answer(ran.stdout, ran.stderr);
  verdict(ran.code, ran.ms);
  const heard = await tap.take();
  await tap.close();
  const found = LOOKED_FOR.filter((word) =>
    heard.some(({ subject, payload }) => subject.includes(word) || holds(payload, word)),
  );
  showMessages(heard, found);
  return [
    ...(ran.code === 0 && ran.stdout.split(WORD).length === JOBS + 1 ? [] : [`${typed} did not answer as it should`]),
    ...(jobsIn(heard) === JOBS ? [] : [`the tap heard ${jobsIn(heard)} jobs instead of ${JOBS}`]),
    ...found.map((word) => `the tap heard ${word}`),
  ];
}

function showMessages(heard: readonly Tapped[], found: readonly string[]): void {
  line('\n   bytes  subject');
  for (const { subject, payload } of heard) {
    const shown = subject.length > SUBJECT_COLUMNS ? `${subject.slice(0, SUBJECT_COLUMNS - 3)}...` : subject;
    line(`${String(payload.length).padStart(8)}  ${shown}`);
  }
  const bytes = heard.reduce((sum, { payload }) => sum + payload.length, 0);
  line('');
  paragraph(
    `${heard.length} messages of ${bytes} bytes together. Looked for in subjects and contents, plainly, in hexadecimal ` +
      `and in base64: ${LOOKED_FOR.join(', ')}. Found: ${found.join(', ') || 'none'}.`,
  );
}

function jobsIn(heard: readonly Tapped[]): number {
  return heard.filter(({ subject }) => subject.startsWith('nt.main.job.')).length;
}
