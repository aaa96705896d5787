/**
 * The examples of the project's main job, as data: what a user types on which host, and what then happens. The tests hold
 * the programs to it, the demo shows it.
 */
import type { Ran } from './run-program.js';

export interface Example {
  /** The minion that it is typed on. */
  readonly on: string;
  /** After `natrium-call`. */
  readonly words: readonly string[];
  readonly code: number;
  readonly stdout: string | RegExp;
  /** Without the line's end. */
  readonly stderr: string;
}

/** One master file, and what it allows and refuses. */
export interface Scene {
  readonly title: string;
  readonly master: string;
  readonly minions: readonly string[];
  readonly examples: readonly Example[];
}

export const WEB1 = 'web1.example.com';
export const WEB2 = 'web2.example.com';
export const DB1 = 'db1.foo.org';
const STRANGER = 'mail.example.net';
const HOSTS = [WEB1, WEB2, DB1] as const;
/** As answers are sorted. */
const THREE = [DB1, WEB1, WEB2] as const;
const DENIED = 13;

/** So that the example with `G@os:Ubuntu` tells two hosts apart, whatever this machine runs. */
export const GRAINS = { [WEB1]: { os: 'Debian' }, [WEB2]: { os: 'Ubuntu' }, [DB1]: { os: 'Debian' } };

export const EXAMPLE_MASTER = `peer:
  .*example.com:
    - test.*
    - ps.*
    - pkg.*
  .*foo.org:
    - test.*
    - ps.*
    - pkg.*
peer_run:
  .*example.com:
    - manage.*
    - jobs.*
`;

export const PEER_ALL = `peer:
  .*:
    - .*
`;

export const PEER_RUN_ALL = `peer_run:
  .*:
    - .*
`;

export const NO_PEER = '# Neither peer nor peer_run.\n';

const VERSION_IS = 'Natrium-0.1.0';

function allowed(on: string, words: readonly string[], stdout: string | RegExp): Example {
  return { on, words, code: 0, stdout, stderr: '' };
}

function refused(on: string, words: readonly string[], stderr: string): Example {
  return { on, words, code: DENIED, stdout: '', stderr };
}

/** The nested output of one and the same answer from each minion. */
function each(ids: readonly string[], answer: string): string {
  return ['local:', '    ----------', ...ids.flatMap((id) => [`    ${id}:`, `        ${answer}`]), ''].join('\n');
}

function full(ids: readonly string[], answer: string): string {
  const lines = ids.flatMap((id) => [`    ${id}:`, '        ----------', '        ret:', `            ${answer}`]);
  return ['local:', '    ----------', ...lines, ''].join('\n');
}

function list(ids: readonly string[]): string {
  return ['local:', ...ids.map((id) => `    - ${id}`), ''].join('\n');
}

/** Packages and their versions below each minion. */
function packages(ids: readonly string[]): RegExp {
  const below = ids.map((id) => ` {4}${id.replaceAll('.', '\\.')}:\n {8}-{10}\n(?: {8}\\S+:\n {12}\\S+\n)+`);
  return new RegExp(`^local:\n {4}-{10}\n${below.join('')}$`);
}

const nobody = (id: string, what: string) => `minion ${id} may not run ${what}: no rule permits it`;

const WEB_NOT_UBUNTU = 'web* and not G@os:Ubuntu';

/** The stranger comes last: a state folder that is taken up again knows it from then on. */
export const SCENES: readonly Scene[] = [
  {
    title: 'the master file of the examples',
    master: EXAMPLE_MASTER,
    minions: HOSTS,
    examples: [
      allowed(WEB1, ['publish.publish', '*', 'test.version'], each(THREE, VERSION_IS)),
      allowed(WEB1, ['publish.runner', 'manage.up'], list(THREE)),
      allowed(WEB1, ['publish.publish', WEB_NOT_UBUNTU, 'test.version', 'tgt_type=compound'], each([WEB1], VERSION_IS)),
      allowed(
        WEB1,
        ['publish.publish', WEB_NOT_UBUNTU, 'test.version', 'expr_form=compound'],
        each([WEB1], VERSION_IS),
      ),
      allowed(WEB1, ['publish.full_data', '*', 'test.ping'], full(THREE, 'True')),
      allowed(WEB1, ['publish.publish', 'web*', 'pkg.list_pkgs'], packages([WEB1, WEB2])),
      allowed(DB1, ['publish.publish', '*', 'test.ping'], each(THREE, 'True')),
      refused(WEB1, ['publish.publish', '*', 'cmd.run', 'id'], nobody(WEB1, "'cmd.run' on '*'")),
      refused(DB1, ['publish.runner', 'manage.up'], nobody(DB1, "the runner 'manage.up'")),
      refused(
        WEB1,
        ['publish.publish', '*', 'publish.publish', '[*, test.ping]'],
        `minion ${WEB1} may not run 'publish.publish' on '*': what is published may not publish again`,
      ),
    ],
  },
  {
    title: 'everyone may publish everything, and there is no peer_run',
    master: PEER_ALL,
    minions: HOSTS,
    examples: [
      allowed(DB1, ['publish.publish', '*', 'test.version'], each(THREE, VERSION_IS)),
      allowed(DB1, ['publish.publish', 'web*', 'cmd.run', 'echo hello'], each([WEB1, WEB2], 'hello')),
      refused(DB1, ['publish.runner', 'manage.up'], nobody(DB1, "the runner 'manage.up'")),
    ],
  },
  {
    title: 'everyone may run every runner, and there is no peer',
    master: PEER_RUN_ALL,
    minions: HOSTS,
    examples: [
      allowed(DB1, ['publish.runner', 'manage.up'], list(THREE)),
      refused(DB1, ['publish.publish', '*', 'test.ping'], nobody(DB1, "'test.ping' on '*'")),
    ],
  },
  {
    title: 'neither peer nor peer_run: everything is refused',
    master: NO_PEER,
    minions: HOSTS,
    examples: [
      refused(WEB1, ['publish.publish', '*', 'test.version'], nobody(WEB1, "'test.version' on '*'")),
      refused(WEB1, ['publish.full_data', '*', 'test.ping'], nobody(WEB1, "'test.ping' on '*'")),
      refused(WEB1, ['publish.runner', 'manage.up'], nobody(WEB1, "the runner 'manage.up'")),
    ],
  },
  {
    title: 'a caller whose id no pattern matches',
    master: EXAMPLE_MASTER,
    minions: [...HOSTS, STRANGER],
    examples: [
      refused(STRANGER, ['publish.publish', '*', 'test.ping'], nobody(STRANGER, "'test.ping' on '*'")),
      refused(STRANGER, ['publish.runner', 'manage.up'], nobody(STRANGER, "the runner 'manage.up'")),
      allowed(WEB2, ['publish.publish', 'mail*', 'test.ping'], each([STRANGER], 'True')),
    ],
  },
];

/** What differs from the example, in words; empty when nothing does. */
export function differences(example: Example, ran: Ran): readonly string[] {
  const { code, stdout, stderr } = example;
  const isSaid = typeof stdout === 'string' ? ran.stdout === stdout : stdout.test(ran.stdout);
  return [
    ...(ran.code === code ? [] : [`exit code ${String(ran.code)} instead of ${String(code)}`]),
    ...(isSaid ? [] : [`it printed ${JSON.stringify(ran.stdout)}, not ${String(stdout)}`]),
    ...(ran.stderr.trimEnd() === stderr
      ? []
      : [`on stderr ${JSON.stringify(ran.stderr)}, not ${JSON.stringify(stderr)}`]),
  ];
}

/** The command line as a user types it. */
export function typed({ words }: Example): string {
  return ['natrium-call', ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  if (word === '*') return '\\*';
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}
