/** `natriumctl acl lint [FILE]`. Exit 0 clean, 1 warnings with `--strict`, 2 problems. */
import { type ConfigProblem, type Replaced } from '@natrium/config';
import { type Finding, lintPolicy, type Severity, showPath } from '@natrium/policy-tools';
import { configDirOf } from '../common/common-options.js';
import { EXIT } from '../common/exit-codes.js';
import { refuseWords } from '../common/options.js';
import { plural } from '../common/plural.js';
import type { AclCommand } from './acl-command.js';
import { chosenFleet } from './load-fleet.js';
import { type LoadedPolicy, loadPolicy } from './load-policy.js';
import { lintReactor } from './lint-reactor.js';
import { print, printJson } from './show-value.js';

/** A finding with its place: what `--json` prints. */
type Placed = Finding & { readonly file: string; readonly line: number };

const SEVERITIES: readonly Severity[] = ['problem', 'warning', 'note'];
const PROBLEMS = 2;

export async function runLint(asked: AclCommand): Promise<number> {
  const { words, options, io } = asked;
  refuseWords(words.slice(1));
  const loaded = loadPolicy(words[0] ?? options.text('policy') ?? configDirOf(options, io), {
    builtIn: false,
    inSpite: true,
  });
  const found = loaded.ok ? await findingsOf(loaded.value, asked) : loaded.error.map(placedProblem);
  const count = (severity: Severity): number => found.filter((one) => one.severity === severity).length;
  const [problems, warnings, notes] = [count('problem'), count('warning'), count('note')];
  if (options.flag('json')) printJson({ findings: found, problems, warnings, notes }, io);
  else print([...found.map(sentence), summary({ problem: problems, warning: warnings, note: notes })], io);
  if (problems > 0) return PROBLEMS;
  return warnings > 0 && options.flag('strict') ? EXIT.failed : EXIT.ok;
}

async function findingsOf(
  { view, reactor, doors, locate, problems, replaced }: LoadedPolicy,
  asked: AclCommand,
): Promise<readonly Placed[]> {
  const fleet = await chosenFleet(asked, [view]);
  const found = [
    ...[...lintPolicy(view, fleet), ...lintReactor(reactor, view, doors)].map((finding) => ({
      ...finding,
      ...locate(finding.path),
    })),
    ...replaced.map(nothingCounts),
  ];
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return [...problems.map(placedProblem), ...found].sort(
    (left, right) => rank(left) - rank(right) || left.line - right.line,
  );
}

/** As in Salt; but who wrote a second list meant to have two. */
function nothingCounts({ key, from, by }: Replaced): Placed {
  return {
    ...{ code: 'replaced', severity: 'warning', path: [key], ...from },
    message: `nothing here counts: ${by.file}:${String(by.line)} has this key too, and is read later`,
    mend: 'write all of it in one place',
  };
}

function placedProblem({ file, line = 1, path, reason, mend }: ConfigProblem): Placed {
  return { code: 'malformed', severity: 'problem', path, message: reason, mend, file, line };
}

function sentence({ file, line, severity, path, message, mend, divergence }: Placed): string {
  const ending = divergence === undefined ? '' : ` [${divergence}]`;
  const key = path.length === 0 ? '' : `${showPath(path)}: `;
  return `${file}:${line}: ${severity}: ${key}${message}${mend === undefined ? '' : `; ${mend}`}${ending}`;
}

function summary(counts: Readonly<Record<Severity, number>>): string {
  return SEVERITIES.map((word) => plural(counts[word], word)).join(', ');
}
