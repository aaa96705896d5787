/**
 * Random scenarios for the differential test: a fleet, access lists and one request, small enough that every rule often decides.
 *
 * Patterns are of the kind that means the same to Python, to RE2 and to JavaScript; what differs is tested by itself.
 */
import type { Value, ValueMap } from '@natrium/model';

export interface MinionFacts {
  readonly grains: ValueMap;
  readonly pillar: ValueMap;
}

export interface Scenario {
  /** undefined: never reported any data; null: known to have none. */
  readonly fleet: ReadonlyMap<string, MinionFacts | null | undefined>;
  readonly config: {
    readonly peer: Readonly<Record<string, readonly Value[]>>;
    readonly peer_run: Readonly<Record<string, readonly Value[]>>;
    readonly publisher_acl: Readonly<Record<string, readonly Value[]>>;
    readonly external_auth: Readonly<Record<string, Readonly<Record<string, readonly Value[]>>>>;
    readonly publisher_acl_blacklist: Readonly<Record<string, readonly Value[]>>;
    readonly nodegroups: Readonly<Record<string, string>>;
  };
  readonly caller: {
    readonly kind: 'minion' | 'account' | 'external';
    readonly name: string;
    readonly groups: readonly string[];
  };
  readonly what: 'job' | 'run';
  readonly funs: readonly string[];
  readonly args: readonly (readonly Value[])[];
  readonly tgt: string;
  readonly tgtType: string;
}

/** Taken once: jest looks up a name of the global object a hundred times as slowly as one of a module. */
const { floor, imul } = Math;

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const IDS = ['web1', 'web2', 'web10', 'db1', 'db2', 'new1', 'xweb1', 'blank'];
const FUNS = ['test.ping', 'test.arg', 'test.arg', 'testing.x', 'cmd.run', 'pkg.install', 'saltutil.find_job'];
const ODD_FUNS = ['publish.publish', 'publisher.x', 'publish.publish', ''];
const FUN_PATTERNS = [
  '.*',
  'test.*',
  'test.*',
  '.*',
  'test\\.ping',
  'test\\.(ping|arg)$',
  '.*',
  'cmd.run',
  '(cmd|pkg)\\..*',
  'te',
  'ping',
  'saltutil\\..*',
  'publish.*',
];
const CALLER_PATTERNS = ['.*', '.*', 'web.*', 'web1', 'web\\d$', '[wdn]', 'eb1', '(web|db)1', 'new.*'];
const USER_KEYS = [
  'fred',
  'fr*',
  'dave|fred',
  'admin|manager_.*',
  'admin|fred',
  '.*',
  'dav.',
  '*',
  '*',
  '*',
  '*',
  '[adf]*',
];
const LOGINS = ['fred', 'dave', 'admin', 'administrator', 'administrator', 'manager_x'];
const TERMS = [
  'web*',
  'web1',
  'G@os:Debian',
  'G@os:RedHat',
  'I@role:web',
  'G@os:Suse',
  'I@role:d*',
  'L@web1,db1,gone',
  'E@web\\d',
  'db[12]',
  '*',
  'N@webs',
  'G@roles:a*',
];
/** Also with defects, which grant nothing, negated or not, and leave the rest of a permitted target as it is. */
const PERMITTED_TERMS = [...TERMS, 'G@os', 'P@os:('];
const VALUES = ['a', 'abc', '1', 'b'];

class Maker {
  constructor(private readonly random: () => number) {}

  one<T>(items: readonly T[]): T {
    const item = items[floor(this.random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to choose from');
    return item;
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  several<T>(most: number, make: () => T): readonly T[] {
    return Array.from({ length: 1 + floor(this.random() * most) }, make);
  }

  funs(ofPeer: boolean): readonly string[] {
    // A later function that publishes is what only a look at every function finds.
    if (ofPeer && this.chance(0.1)) return [this.one(FUNS), 'publish.publish'];
    return this.several(this.chance(0.4) ? 3 : 1, () => this.fun());
  }

  fun(): string {
    return this.one(this.chance(0.12) ? ODD_FUNS : FUNS);
  }

  fleet(): Scenario['fleet'] {
    const ids = IDS.filter(() => this.chance(0.8));
    return new Map(ids.map((id) => [id, this.facts(id)]));
  }

  facts(id: string): MinionFacts | null | undefined {
    if (id === 'new1' || this.chance(0.2)) return undefined;
    if (id === 'blank') return null;
    const roles = this.chance(0.5) ? ['a', 'b'] : 'ab';
    return {
      grains: { os: this.one(['Debian', 'RedHat']), roles },
      pillar: { role: this.one(['web', 'webby', 'db']) },
    };
  }

  target(terms: readonly string[] = TERMS): string {
    const term = (): string => (this.chance(0.4) ? `not ${this.one(terms)}` : this.one(terms));
    const kind = this.random();
    if (kind < 0.35) return this.one(terms);
    if (kind < 0.6) return term();
    if (kind < 0.75) return `${term()} or ${term()}`;
    if (kind < 0.9) return `${term()} and ${term()}`;
    return `( ${term()} or ${term()} ) and not ( ${term()} )`;
  }

  condition(): ValueMap {
    const pattern = (): Value => this.one(['a', 'a.*', '1$', '.*', null]);
    const args = this.chance(0.7) ? { args: this.several(2, pattern) } : {};
    const kwargs = this.chance(0.75) ? { kwargs: { k: pattern() } } : {};
    return { ...args, ...kwargs };
  }

  functions(): Value {
    const plain = (): Value => this.one(FUN_PATTERNS);
    const conditional = (): Value => ({
      [this.one(FUN_PATTERNS)]: this.chance(0.3) ? [this.condition(), this.condition()] : this.condition(),
    });
    return this.several(2, () => (this.chance(0.6) ? conditional() : plain()));
  }

  list(): readonly Value[] {
    return this.several(5, () =>
      this.chance(0.3) ? this.one(FUN_PATTERNS) : { [this.target(PERMITTED_TERMS)]: this.functions() },
    );
  }

  mapping(keys: readonly string[], list: () => readonly Value[]): Readonly<Record<string, readonly Value[]>> {
    return Object.fromEntries(this.several(4, () => [this.one(keys), list()]));
  }

  runList(): readonly Value[] {
    return this.several(2, () =>
      this.one([
        '@runner',
        '@jobs',
        '@wheel',
        { '@runner': ['jobs.act'] },
        { '@jobs': [{ active: this.condition() }] },
      ]),
    );
  }

  blacklist(): Readonly<Record<string, readonly Value[]>> {
    if (this.chance(0.8)) return {};
    return this.chance(0.7)
      ? { modules: [this.one(['cmd.*', 'test.ping', 'cmd.run|pkg.install'])] }
      : { users: [this.one(['fred', 'dave|adm', 'adm*'])] };
  }

  arguments(): readonly Value[] {
    const positional = this.chance(0.7) ? this.several(2, () => this.one(VALUES)) : [];
    return this.chance(0.6) ? [...positional, { __kwarg__: true, k: this.one(VALUES) }] : positional;
  }
}

export function makeScenario(seed: number): Scenario {
  const make = new Maker(randomOf(seed));
  const fleet = make.fleet();
  const kind = make.one(['minion', 'minion', 'account', 'external'] as const);
  const what = make.chance(0.12) ? 'run' : 'job';
  const asked = requestOf(make, kind, what);
  const userList = (): readonly Value[] =>
    make.chance(0.3) || what === 'run' ? [...make.runList(), ...make.list()] : make.list();
  const star = make.chance(0.5) ? { '*': userList() } : {};
  return {
    fleet,
    config: {
      peer: make.mapping(CALLER_PATTERNS, () => make.list()),
      peer_run: make.mapping(CALLER_PATTERNS, () =>
        make.several(2, () => make.one(['jobs.*', 'manage.up', 'jobs\\.active$', '.*'])),
      ),
      publisher_acl: make.mapping(USER_KEYS, userList),
      external_auth: { pam: { ...make.mapping([...USER_KEYS, 'ops%', 'adm%%', 'fred', 'dave'], userList), ...star } },
      publisher_acl_blacklist: make.blacklist(),
      nodegroups: { webs: 'web1,web2', all: 'N@webs or db*', fronts: 'I@role:w* or db1' },
    },
    ...asked,
  };
}

function requestOf(
  make: Maker,
  kind: Scenario['caller']['kind'],
  what: Scenario['what'],
): Omit<Scenario, 'fleet' | 'config'> {
  const name = kind === 'minion' ? make.one(IDS) : make.one(LOGINS);
  const funs =
    what === 'run' ? [make.one(['jobs.active', 'manage.up', 'jobs.active.x'])] : make.funs(kind === 'minion');
  const [tgtType, tgt] = make.one<() => readonly [string, string]>([
    () => ['glob', make.one(['*', 'web*', 'db1', 'web1', 'new1', 'new1'])],
    () => ['glob', make.one(IDS)],
    () => ['list', make.several(3, () => make.one([...IDS, 'gone'])).join(',')],
    () => ['pcre', make.one(['web\\d', 'eb', '(db|new)'])],
    () => ['glob', make.one(['new1', 'web1', 'web2', 'db*'])],
    () => ['glob', make.one(['new1', 'new1', 'blank', 'web10'])],
    () => ['pillar', make.one(['role:web', 'role:w*', 'role:d*'])],
    () => ['grain', make.one(['os:Debian', 'os:R*', 'roles:a', 'os'])],
    () => [
      make.one(['pillar', 'pillar', 'pillar_pcre', 'pillar_exact']),
      make.one(['role:web', 'role:w*', 'role:web.*']),
    ],
    () => ['compound', make.target()],
    () => [
      'compound',
      make.one(['I@role:w* and web*', 'J@role:web', 'web* and', '( web*', 'not I@role:w*', 'not not web*']),
    ],
    () => ['nodegroup', make.one(['webs', 'all', 'fronts', 'none'])],
    () => [make.one(['Glob', 'range']), '*'],
  ])();
  const groups = ['ops', 'adm'].filter(() => make.chance(0.4));
  return { caller: { kind, name, groups }, what, funs, args: funs.map(() => make.arguments()), tgt, tgtType };
}
