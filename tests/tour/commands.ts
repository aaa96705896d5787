/**
 * The tour as data: what an operator types, in the order of learning it. `natrium-call` is typed on a minion, all else on
 * the master's host. `JID` stands for the job that was last started with `--async`, `MODULES` for a folder of modules.
 */
export interface Step {
  /** The program and its words. */
  readonly words: readonly string[];
  /** The minion that it is typed on. */
  readonly on?: string;
  /** Several minions answer, each when it is ready: the transcript sorts them. */
  readonly unordered?: true;
  /** What it reads on stdin. */
  readonly input?: string;
}

export interface Group {
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  readonly steps: readonly Step[];
}

export const MINIONS = ['db1', 'web1', 'web2'] as const;

export const GRAINS = {
  web1: { os: 'Debian', os_family: 'Debian', role: 'web', shelf: 'north' },
  web2: { os: 'Ubuntu', os_family: 'Debian', role: 'web', shelf: 'south' },
  db1: { os: 'Debian', os_family: 'Debian', role: 'db', shelf: 'south' },
};

/** The master file; `PILLAR` is the folder of the pillar. */
export const MASTER = `peer:
  web.*:
    - test.*
    - grains.item
peer_run:
  web.*:
    - manage.*
    - test.arg
nodegroups:
  webs: L@web1,web2
pillar_roots:
  base: [PILLAR]
`;

/** Files of the pillar by name. */
export const PILLAR = {
  'top.sls': "base:\n  '*': [all]\n  'web*': [web]\n",
  'all.sls': 'stage: live\n',
  'web.sls': 'port: 8080\nsite: {name: shop}\n',
};

export const GROUPS: readonly Group[] = [
  {
    title: 'The first job',
    about: 'Whom, what, with what: a target, a function, its arguments; each answer is printed when it is there.',
    steps: [
      all('natrium', '*', 'test.ping'),
      one('natrium', 'web1', 'test.echo', 'hello'),
      one('natrium', 'web1', 'test.kwarg', 'n=1', 'list=[a, b]', 'word=a,b', 'none=null'),
      one('natrium', 'web1', 'cmd.run', 'echo one; echo two', 'python_shell=True'),
      one('natrium', '-d', 'web1', 'test.echo'),
    ],
  },
  {
    title: 'Whom',
    about: 'Without an option the target is a glob on ids; each option reads it in another way.',
    steps: [
      all('natrium', 'web*', 'test.ping'),
      all('natrium', '-L', 'web1,db1', 'test.ping'),
      all('natrium', '-E', 'web[12]', 'test.ping'),
      all('natrium', '-G', 'os:Ubuntu', 'test.ping'),
      all('natrium', '-P', 'shelf:(south|west)', 'test.ping'),
      all('natrium', '-I', 'site:name:shop', 'test.ping'),
      all('natrium', '-J', 'port:80[0-9]+', 'test.ping'),
      all('natrium', '-C', 'web* and not G@os:Ubuntu', 'test.ping'),
      all('natrium', '-S', '127.0.0.0/8', 'test.ping'),
      all('natrium', '-N', 'webs', 'test.ping'),
      all('natrium', '-I', 'site/name/shop', '--delimiter', '/', 'test.ping'),
      all('natrium', '*', 'test.ping', '--preview-target'),
    ],
  },
  {
    title: 'How it is printed',
    about: 'One answer in every format, and all as one with `--static`.',
    steps: [
      one('natrium', 'web1', 'grains.item', 'role', 'shelf'),
      one('natrium', 'web1', 'grains.item', 'role', 'shelf', '--out', 'json'),
      one('natrium', 'web1', 'grains.item', 'role', 'shelf', '--out', 'json', '--out-indent', '-1'),
      one('natrium', '*', 'grains.get', 'role', '--out', 'json', '--static'),
      one('natrium', '*', 'grains.get', 'role', '--out', 'yaml', '--static'),
      all('natrium', '*', 'grains.get', 'role', '--out', 'txt'),
      all('natrium', '*', 'grains.get', 'role', '--out', 'jsonl'),
      all('natrium', '*', 'grains.get', 'role', '--out', 'raw'),
      one('natrium', '*', 'grains.item', 'role', 'shelf', '--out', 'table'),
      one('natrium', 'web1', 'test.echo', '[a, b]', '--out', 'newline_values_only'),
      one('natrium', 'web1', 'test.ping', '--out', 'quiet'),
      one('natrium', 'web1', 'test.ping', '--out', 'nonsense'),
    ],
  },
  {
    title: 'How it is run',
    about: 'The job’s id, a count at the end, several functions at once, some of the minions, one after the other.',
    steps: [
      one('natrium', 'web1', 'test.ping', '--show-jid'),
      one('natrium', 'web1', 'test.ping', '-v', '--summary'),
      one('natrium', 'web1', 'test.ping,test.echo', ',', 'hi'),
      one('natrium', 'web1', 'cmd.run,test.echo', 'echo a', '::', 'b', '--args-separator', '::', '--out', 'json'),
      one('natrium', 'web1', 'test.ping', '--subset', '2'),
      one('natrium', '*', 'test.ping', '-b', '2', '-s', '--out', 'json'),
      one('natrium', '-L', 'web1,web2', 'test.ping', '--batch-size', '50%'),
      one('natrium', '-L', 'db1,web1', 'test.retcode', '3', '-b', '1', '--failhard'),
      { words: ['natrium', 'web1', 'test.echo', '--args-stdin'], input: 'from stdin\n--out=txt\n' },
    ],
  },
  {
    title: 'What goes wrong',
    about: 'The exit code is 0 only when everybody who was asked did what was asked; sentences are on stderr.',
    steps: [
      one('natrium', 'nobody', 'test.ping'),
      one('natrium', '-L', 'web1,nobody', 'test.ping', '-s'),
      one('natrium', 'web1', 'no.such'),
      one('natrium', 'web1', 'test.retcode', '3'),
      one('natrium', 'web1', 'test.sleep', '3', '-t', '1'),
      one('natrium', '-N', 'nosuchgroup', 'test.ping'),
      one('natrium', '--no-such-option'),
      one('natrium', 'web1', 'state.apply'),
      one('natrium', 'web1', 'test.ping', '--module-executors', '[sudo]'),
    ],
  },
  {
    title: 'Jobs',
    about: 'A job goes on without whoever started it, and its returns are kept.',
    steps: [
      one('natrium', 'web1', 'test.echo', 'later', '--async', '--metadata', '{ticket: 7}'),
      one('natriumctl', 'job', 'follow', 'JID'),
      one('natrium-run', 'jobs.lookup_jid', 'JID'),
      one('natrium-run', 'jobs.list_job', 'JID'),
      one('natrium-run', 'jobs.list_jobs', 'search_metadata={ticket: 7}', '--out', 'json'),
      one('natrium-run', 'jobs.exit_success', 'JID', '--out', 'txt'),
      one('natrium-run', 'jobs.active'),
    ],
  },
  {
    title: 'Runners',
    about: 'What runs beside the master; the answer is the bare value.',
    steps: [
      one('natrium-run', 'manage.up'),
      one('natrium-run', 'manage.status', '--out', 'json'),
      one('natrium-run', 'test.arg', 'a', 'b=1'),
      one('natrium-run', '-d', 'manage.up'),
      one('natrium-run', '--async', 'manage.up'),
      one('natrium-run', 'no.such'),
    ],
  },
  {
    title: 'On a minion',
    about:
      "A minion runs functions on itself, and asks others as far as `peer` and `peer_run` allow. What needs neither the master nor the agent runs in the command's own process, also while there is no agent.",
    steps: [
      on('web1', 'test.ping'),
      on('web1', '--local', 'grains.get', 'role', '--out', 'json'),
      on('web1', 'pillar.get', 'site:name'),
      on('web1', 'no.such'),
      on('web1', '--retcode-passthrough', 'cmd.run', 'exit 3', 'python_shell=True'),
      on('web1', '--metadata', 'test.echo', 'hi'),
      on('web1', '-t', '1', 'test.sleep', '5'),
      on('web1', '-m', 'MODULES', 'greet.hello', 'world', 'times=2'),
      on('web1', '--master', 'nats://elsewhere:4222', 'test.ping'),
      on('web1', 'publish.publish', '*', 'grains.item', 'role'),
      on('web1', 'publish.full_data', 'role:db', 'test.ping', 'tgt_type=grain'),
      on('web1', 'publish.runner', 'manage.up'),
      on('web1', 'publish.publish', '*', 'cmd.run', 'uptime'),
      on('db1', 'publish.publish', '*', 'test.ping'),
    ],
  },
  {
    title: 'Keys',
    about: 'Who is enrolled, with which key, and who is not any more.',
    steps: [
      one('natrium-key', '-L'),
      one('natrium-key', '-F'),
      one('natrium-key', '-p', 'web1'),
      one('natrium-key', '-l', 'acc', '--out', 'json'),
      one('natrium-key', '-a', 'nobody'),
      { words: ['natrium-key', '-d', 'web2'], input: 'n\n' },
      one('natrium-key', '-y', '-r', 'web2', '--include-accepted'),
      one('natrium-key', '-l', 'rej'),
      one('natrium-key', '-y', '-a', 'web2', '--include-rejected'),
    ],
  },
  {
    title: 'Help',
    about: 'Each program tells its options, examples and exit codes.',
    steps: [
      one('natrium', '--version'),
      one('natrium', '--versions-report'),
      one('natrium-call', '--help'),
      one('natriumctl', '--help'),
    ],
  },
];

function one(...words: readonly string[]): Step {
  return { words };
}

function all(...words: readonly string[]): Step {
  return { words, unordered: true };
}

function on(minion: string, ...words: readonly string[]): Step {
  return { words: ['natrium-call', ...words], on: minion };
}
