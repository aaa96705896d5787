/** The line under a running job: `37/40 returned · missing: web3 (not connected), db1 (running 4 s)`. */
import { disarm } from '@natrium/output';
import { type Missing, missingWord } from './missing.js';

export interface Progress {
  readonly asked: number;
  readonly returned: number;
  readonly missing: readonly Missing[];
  readonly seconds: number;
  /** Begin with a bar, as `-p` asks. */
  readonly bar?: boolean;
}

const BAR = 20;

/** @param columns Where the terminal ends; ids that don't fit are counted. */
export function liveLine({ asked, returned, missing, seconds, bar = false }: Progress, columns: number): string {
  const head = `${bar ? barOf(returned, asked) : ''}${String(returned)}/${String(asked)} returned`;
  if (missing.length === 0) return head.slice(0, columns);
  const words = [...missing]
    .sort(byInterest)
    .map((one) => `${disarm(one.id)} (${missingWord(one.why)}${one.why === 'running' ? ` ${String(seconds)} s` : ''})`);
  // The most ids that fit; with none, the count alone.
  for (let shown = words.length; shown > 0; shown -= 1) {
    const rest = words.length - shown;
    const line = `${head} · missing: ${words.slice(0, shown).join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
    if (line.length <= columns) return line;
  }
  return `${head} · missing: ${String(missing.length)}`.slice(0, columns);
}

/** Who will not answer comes before who may; then by id, whoever was asked first. */
function byInterest(one: Missing, other: Missing): number {
  const running = Number(one.why === 'running') - Number(other.why === 'running');
  return running !== 0 ? running : one.id < other.id ? -1 : 1;
}

function barOf(returned: number, asked: number): string {
  const full = Math.floor((BAR * returned) / Math.max(1, asked));
  return `[${'#'.repeat(full)}${' '.repeat(BAR - full)}] `;
}
