/**
 * Builds each mutant in a copy of the sources, shows that a plain job still runs in it, and names the test that fails.
 *
 * The copy lives in a temporary folder; nothing of the repository is touched.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { JOB_MUTANTS } from './job-mutants.js';
import { MESSAGE_MUTANTS } from './message-mutants.js';
import { mutated, type Mutant } from './mutant.js';

const SOURCES = [
  'apps',
  'libs',
  'tests',
  'tools',
  'spec',
  'compat',
  'jest.config.mjs',
  'jest.sequencer.mjs',
  'jest.setup.mjs',
  'package.json',
  'tsconfig.json',
];
const APPS = ['master-gateway', 'acl-service', 'runner-service', 'minion-agent', 'cli'];
/** A job like any other, on an agent that was restarted before it. */
const PLAIN = { spec: 'tests/hostile/once.spec.ts', test: 'runs after the restart when it was not used before it' };
const RUN_MS = 240_000;

interface Tried {
  /** Why it does not build; the rest says nothing then. */
  readonly unbuilt?: string;
  readonly plain: boolean;
  /** Full names of the tests that failed in the mutant's own file. */
  readonly failed: readonly string[];
}

/** @returns 0 when every mutant is found by the test that is named for it. */
export async function killMutants(word: string, say: (line: string) => void): Promise<number> {
  const wanted = [...JOB_MUTANTS, ...MESSAGE_MUTANTS].filter(({ name }) => name.includes(word));
  if (wanted.length === 0) throw new RangeError(`there is no mutant with ${word} in its name`);
  const copy = copySources();
  let survivors = 0;
  try {
    for (const mutant of wanted) {
      const problem = await kill(mutant, copy, say);
      if (problem === undefined) continue;
      survivors += 1;
      say(`SURVIVED  ${mutant.name}: ${problem}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  say(`\n${String(wanted.length)} mutants, ${String(wanted.length - survivors)} killed, ${String(survivors)} not`);
  return survivors === 0 ? 0 : 1;
}

/** @returns undefined when it was killed, else why not. */
async function kill(mutant: Mutant, copy: string, say: (line: string) => void): Promise<string | undefined> {
  const restore = apply(mutant, copy);
  try {
    const { unbuilt, plain, failed } = await tryOut(mutant, copy);
    if (unbuilt !== undefined) return `it does not build: ${unbuilt}`;
    if (!plain) return 'a plain job does not run any more: it removes more than one check';
    const found = failed.find((name) => name.startsWith(mutant.test));
    if (found === undefined)
      return `no test "${mutant.test}…" of ${mutant.spec} failed, but ${failed.join('; ') || 'none'}`;
    say(`killed    ${mutant.name.padEnd(28)} ${mutant.spec} › ${found}`);
    return undefined;
  } finally {
    restore();
  }
}

/** @throws {Error} When it no longer applies. */
function apply(mutant: Mutant, copy: string): () => void {
  const read = (file: string) => readFileSync(join(copy, file), 'utf8');
  const write = (texts: Iterable<readonly [string, string]>) => {
    for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  };
  const texts = mutated(mutant, read);
  const before = [...texts.keys()].map((file) => [file, read(file)] as const);
  write(texts);
  return () => {
    write(before);
  };
}

/** Each by itself: what a test that fails leaves behind is not the plain job's. */
async function tryOut({ spec, test }: Mutant, copy: string): Promise<Tried> {
  const built = await runProgram(process.execPath, ['tools/build.mjs', ...APPS], { cwd: copy, timeoutMs: RUN_MS });
  if (built.code !== 0) {
    const unbuilt = built.stderr.trim() || `no end within ${String(RUN_MS / 1000)} s`;
    return { unbuilt, plain: false, failed: [] };
  }
  const plain = await results(copy, PLAIN.spec, escaped(PLAIN.test));
  const own = await results(copy, spec, `^${escaped(test)}`);
  return {
    plain: plain.some(({ status, fullName }) => status === 'passed' && fullName.endsWith(PLAIN.test)),
    failed: own.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  };
}

/** Of the tests of one file that have such a name. */
async function results(copy: string, spec: string, names: string): Promise<readonly TestResult[]> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const program = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json', '--outputFile', report];
  await runProgram(process.execPath, [...program, spec, '-t', names], { cwd: copy, timeoutMs: RUN_MS });
  return (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  );
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly TestResult[];
  }[];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The packages are links; those of the project itself lead into the copy. */
function copySources(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'nt-mutants-')));
  for (const name of SOURCES)
    cpSync(inRoot(name), join(copy, name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  mkdirSync(join(copy, 'node_modules', '@natrium'), { recursive: true });
  for (const name of readdirSync(inRoot('node_modules'))) {
    if (name === '@natrium' || name.startsWith('.')) continue;
    symlinkSync(inRoot('node_modules', name), join(copy, 'node_modules', name));
  }
  for (const tree of ['libs', 'apps']) {
    for (const name of readdirSync(join(copy, tree)))
      symlinkSync(join(copy, tree, name), join(copy, 'node_modules', '@natrium', name));
  }
  return copy;
}
