/**
 * `npm run conformance [-- PATH...]`: runs recorded cases of the original through this project's own code.
 *
 * Prints what passed by family, a bounded list of what did not, and as the last line `N passed, N failed`; exit status 1 on a failure, 2
 * when there is nothing that it can replay.
 * It knows the format of the cases, never a case.
 */
import { pathToFileURL } from 'node:url';
import { differences } from './compare.js';
import {
  asInCorpus,
  type Case,
  type Corpus,
  CorpusBroken,
  inventoryOf,
  mapOf,
  type PlainMap,
  readCorpus,
} from './corpus.js';
import { cliArgs } from './families/cli-args.js';
import { externalAuth } from './families/external.js';
import { type Family, NOT_BUILT_YET } from './families/family.js';
import { authCheck, specCheck, userMatch } from './families/lists.js';
import { peer, peerRun, pubRet } from './families/peer.js';
import { publishModule } from './families/publish-module.js';
import { publisherAcl } from './families/publisher.js';
import { dataMatch, nodegroup, target } from './families/targets.js';

const FAMILIES: Readonly<Record<string, Family>> = {
  peer,
  peer_run: peerRun,
  pub_ret: pubRet,
  publisher_acl: publisherAcl,
  external_auth: externalAuth,
  auth_check: authCheck,
  spec_check: specCheck,
  target,
  compound: target,
  nodegroup,
  data_match: dataMatch,
  user_match: userMatch,
  cli_args: cliArgs,
  publish_module: publishModule,
};

const MAX_LISTED = 40;
const UNREADABLE = 2;

export interface Failure {
  readonly id: string;
  readonly fields: readonly string[];
  readonly expected: PlainMap;
  readonly got: PlainMap;
}

export interface FamilyReport {
  readonly family: string;
  readonly passed: number;
  readonly notBuiltYet: number;
  readonly failures: readonly Failure[];
}

type Result = 'passed' | 'not built yet' | Failure;

/** Replays every case of a corpus; the order of the answer is that of the families in it. */
export async function replay(corpus: Corpus): Promise<readonly FamilyReport[]> {
  const results = new Map<string, Result[]>();
  for (const one of corpus.cases) {
    const own = results.get(one.family) ?? [];
    own.push(await replayOne(one, corpus));
    results.set(one.family, own);
  }
  return [...results].map(([family, own]) => ({
    family,
    passed: own.filter((result) => result === 'passed').length,
    notBuiltYet: own.filter((result) => result === 'not built yet').length,
    failures: own.filter((result) => typeof result === 'object'),
  }));
}

async function replayOne(one: Case, corpus: Corpus): Promise<Result> {
  const { id, expected } = one;
  const family = FAMILIES[one.family];
  if (family === undefined) return { id, fields: ['family'], expected, got: { unknown: one.family } };
  // Whatever came of it would fit.
  if (Object.keys(expected).length === 0) return { id, fields: ['expect'], expected, got: {} };
  const answer = await answerOf(family, one, corpus);
  if (answer === NOT_BUILT_YET) return 'not built yet';
  const got = mapOf(asInCorpus(answer));
  const fields = differences(expected, got);
  return fields.length === 0 ? 'passed' : { id, fields, expected, got };
}

/** A case that cannot be played is one that failed, and the others are played all the same. */
async function answerOf(family: Family, one: Case, corpus: Corpus): Promise<PlainMap | typeof NOT_BUILT_YET> {
  try {
    return await family(one, inventoryOf(corpus, one.inventory));
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** @param argv Files or folders; `compat/cases` when there are none. @returns The exit status. */
export async function main(
  argv: readonly string[],
  print: (line: string) => void = console.log,
  complain: (line: string) => void = console.error,
): Promise<number> {
  const paths = argv.length > 0 ? argv : ['compat/cases'];
  const reports: FamilyReport[] = [];
  try {
    const corpora = paths.map(readCorpus);
    if (corpora.every(({ cases }) => cases.length === 0))
      throw new CorpusBroken(`${paths.join(', ')}: there is no case`);
    for (const corpus of corpora) reports.push(...(await replay(corpus)));
  } catch (error) {
    if (!(error instanceof CorpusBroken)) throw error;
    complain(error.message);
    return UNREADABLE;
  }
  for (const line of table(reports)) print(line);
  const failures = reports.flatMap((report) => report.failures);
  for (const failure of failures.slice(0, MAX_LISTED)) {
    print(
      `${failure.id} (${failure.fields.join(', ')})\n  expected ${JSON.stringify(failure.expected)}\n  got      ${JSON.stringify(failure.got)}`,
    );
  }
  if (failures.length > MAX_LISTED) print(`and ${String(failures.length - MAX_LISTED)} more`);
  print(`${String(sum(reports, ({ passed }) => passed))} passed, ${String(failures.length)} failed`);
  return failures.length === 0 ? 0 : 1;
}

function table(reports: readonly FamilyReport[]): readonly string[] {
  const row = (name: string, cells: readonly string[]): string =>
    name.padEnd(18) + cells.map((cell) => cell.padStart(15)).join('');
  return [
    row('family', ['passed', 'failed', 'not built yet']),
    ...reports.map(({ family, passed, failures, notBuiltYet }) =>
      row(family, [String(passed), String(failures.length), String(notBuiltYet)]),
    ),
  ];
}

function sum(reports: readonly FamilyReport[], count: (report: FamilyReport) => number): number {
  return reports.reduce((total, report) => total + count(report), 0);
}

// Run as a program, not when a test imports it; bundled, this file is the program.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2));
