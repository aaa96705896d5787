/** Rules of the reactor without a bus: what is compiled, what an event fills in, what is left out. */
import { err, Float, ok } from '@natrium/model';
import { fillIn } from './event-values.js';
import { compileReactor } from './reactions.js';
import { Reactor, type ReactionCall } from './reactor.js';

const EVENT = {
  id: 'gw.1',
  tag: 'web/started/7',
  data: { id: 'web1', n: 3, load: new Float(2), list: ['a', 'b'], deep: { ok: true } },
  stamp: '2026-11-20T18:00:00.000000',
  origin: { kind: 'minion', name: 'web1' },
};

const rule = (call: object, tag = 'web/*') => [{ [tag]: [{ hello: call as never }] }];
const problem = (config: unknown) => compileReactor(config as never).problems[0]?.reason;

function aReactor(call: object, { depth = 3, rate = 5 } = {}) {
  const asked: ReactionCall[] = [];
  const notes: string[] = [];
  const counted: string[] = [];
  const claimed = new Set<string>();
  const { reactions, problems } = compileReactor(rule(call));
  expect(problems).toEqual([]);
  let now = 0;
  const reactor = new Reactor(
    {
      claim: (event, name) => {
        const isFirst = !claimed.has(event + name);
        claimed.add(event + name);
        return new Promise((resolve) => setImmediate(resolve, isFirst));
      },
      ask: (one) => {
        asked.push(one);
        return Promise.resolve(ok('jid'));
      },
      count: (became) => counted.push(became),
      note: (became, _about, sentence) => notes.push(`${became}: ${sentence}`),
      now: () => now,
    },
    reactions,
    { depth, rate },
  );
  const hear = async (more: object = {}) => {
    await reactor.hear({ ...EVENT, ...more });
    await reactor.settled();
  };
  /** As they come: one is heard while others are still claimed. */
  const hearAtOnce = async (ids: readonly string[]) => {
    for (const id of ids) await reactor.hear({ ...EVENT, id });
    await reactor.settled();
  };
  return { asked, notes, counted, hear, hearAtOnce, pass: (ms: number) => (now += ms) };
}

describe('values of an event', () => {
  it.each([
    ['${data.id}', 'web1'],
    ['${data.n}', 3],
    ['n is ${data.n}, ${tag.1}', 'n is 3, started'],
    ['${data.load}', new Float(2)],
    ['load ${data.load}', 'load 2.0'],
    ['${data.list.1}', 'b'],
    ['${data.deep}', { ok: true }],
    ['$${data.id}', '${data.id}'],
    ['${origin.kind} ${id}', 'minion gw.1'],
  ])('%s is %j', (text, value) => {
    expect(fillIn(text, EVENT)).toEqual(ok(value));
  });

  it.each([
    ['${data.none}', 'the event has no data.none'],
    ['${data.constructor}', 'the event has no data.constructor'],
    ['${data.__proto__}', 'the event has no data.__proto__'],
    ['${tag.9}', 'the event has no tag.9'],
    ['x ${data.none}', 'the event has no data.none'],
    ['x ${data.deep}', 'data.deep of the event is a map, which cannot stand inside a longer text'],
    ['${data.list} x', 'data.list of the event is a list, which cannot stand inside a longer text'],
  ])('%s is none: %s', (text, sentence) => {
    expect(fillIn(text, EVENT)).toEqual(err(sentence));
  });
});

describe('rules', () => {
  it.each([
    ['is a list', { 'web/*': [] }],
    ['files of reactions are not read', [{ 'web/*': ['/srv/reactor/start.sls'] }]],
    ['templates are not run', rule({ 'local.test.ping': [{ tgt: "{{ data['id'] }}" }] })],
    ['names no value', rule({ 'local.test.ping': [{ tgt: '${process.env}' }] })],
    ['tgt is missing', rule({ 'local.test.ping': [] })],
    ['names minions by id only', rule({ 'local.test.ping': [{ tgt: 'G@os:${data.os}' }, { tgt_type: 'compound' }] })],
    ['is not local', rule({ 'caller.test.ping': [] })],
    ['tgt is missing', rule({ 'local.test.ping': [{ tgt: [] }] })],
    ["there is no target type 'Grain'", rule({ 'local.test.ping': [{ tgt: 'os:Debian' }, { tgt_type: 'Grain' }] })],
    ["of type 'glob' is text, not a list", rule({ 'local.test.ping': [{ tgt: ['web1', '${data.id}'] }] })],
    ['tgt means nobody', rule({ 'local.test.ping': [{ tgt: 'web1 or' }, { tgt_type: 'compound' }] })],
    ['arg stands beside args', rule({ 'local.test.arg': [{ tgt: 'a' }, { args: [{ x: 1 }] }, { arg: [2] }] })],
    ['kwarg stands beside args', rule({ 'runner.test.arg': [{ args: [1] }, { kwarg: { x: 1 } }] })],
    ['calls one function', rule({ 'runner.a.b': [], 'runner.c.d': [] })],
  ])('%s', (reason, config) => {
    expect(problem(config)).toContain(reason);
  });
});

it.each([
  [{ tgt: ['web1', '${data.id}'] }, { tgt_type: 'list' }],
  [{ tgt: 'N@web and G@os:Debian' }, { tgt_type: 'compound' }],
  [{ tgt: ['web1', 'or', 'web2'] }, { expr_form: 'compound' }],
  [{ tgt: 'web' }, { tgt_type: 'nodegroup' }],
  [{ tgt: '${data.id}' }],
])('a target may be %j %j', (...settings) => {
  expect(problem(rule({ 'local.test.ping': settings }))).toBeUndefined();
});

it.each([
  [new Float(10), 10],
  [new Float(2.5), 2.5],
  [10, 10],
])('a timeout of %j is taken as %d seconds', (timeout, seconds) => {
  const { reactions, problems } = compileReactor(rule({ 'runner.test.arg': [{ timeout }] }));
  expect([problems, reactions.map((one) => one.timeout)]).toEqual([[], [seconds]]);
});

it.each([new Float(0), new Float(3600.5), -1, 'soon', '${data.n}'])(
  'a timeout of %j is none, and its form is told',
  (timeout) => {
    const { problems } = compileReactor(rule({ 'runner.test.arg': [{ timeout }] }));
    expect(problems).toMatchObject([{ reason: 'timeout takes seconds up to 3600', mend: 'write timeout: 10' }]);
  },
);

describe('a reaction', () => {
  const PING = { 'local.test.ping': [{ tgt: '${data.id}' }, { arg: ['${data.n}'] }, { kwarg: { k: '${tag}' } }] };

  it('asks once for each event, with what the event says', async () => {
    const { asked, hear } = aReactor(PING);
    await hear();
    await hear();
    await hear({ id: 'gw.2', tag: 'db/started' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      tgt: 'web1',
      args: [3, { k: 'web/started/7', __kwarg__: true }],
      cause: { event: 'gw.1', reaction: 'hello', depth: 1 },
    });
  });

  it.each(['*', 'web[12]', 'web1,web2', 'web1 or db1', 'G@os:x', '', { a: 1 }])('targets no %j', async (id) => {
    const { asked, notes, hear } = aReactor(PING);
    await hear({ data: { id, n: 1 } });
    expect(asked).toEqual([]);
    expect(notes).toHaveLength(1);
  });

  describe('to a key', () => {
    const BY_NAME = { 'wheel.key.accept': [{ match: '${data.id}' }] };
    const BY_PLACE = { 'wheel.key.accept': [{ args: ['${data.id}'] }] };
    const BY_LIST = { 'wheel.key.accept': [{ match: ['${data.id}'] }] };
    const BY_STATE = { 'wheel.key.accept_dict': [{ match: { minions_pre: ['${data.id}'] } }] };
    const ways = [BY_NAME, BY_PLACE, BY_LIST];

    it.each([...ways, BY_STATE])('asks for that of the event’s id: %j', async (call) => {
      const { asked, hear } = aReactor(call);
      await hear();
      expect(asked).toHaveLength(1);
    });

    it.each(ways.flatMap((call) => ['*', 'web[12]', 'web1,web2', { minions_pre: ['x'] }].map((id) => ({ call, id }))))(
      'asks for no others: %j',
      async ({ call, id }) => {
        const { asked, notes, hear } = aReactor(call);
        await hear({ data: { id } });
        expect(asked).toEqual([]);
        expect(notes).toEqual([expect.stringMatching(/^left_out: .* as the match$/)]);
      },
    );

    it('takes an id by its state as it stands, and the configuration’s own glob', async () => {
      const { asked, hear } = aReactor(BY_STATE);
      await hear({ data: { id: '*' } });
      expect(asked).toMatchObject([{ args: [{ match: { minions_pre: ['*'] } }] }]);
      const fixed = aReactor({ 'wheel.key.accept': [{ match: 'web*' }] });
      await fixed.hear();
      expect(fixed.asked).toMatchObject([{ args: [{ match: 'web*' }] }]);
    });

    it.each([1001, [1001, 'web1'], []])('takes %j as the configuration has it', async (match) => {
      const { asked, hear } = aReactor({ 'wheel.key.accept': [{ match }] });
      await hear();
      expect(asked).toMatchObject([{ args: [{ match }] }]);
    });
  });

  it('takes no named arguments from an event', async () => {
    const { asked, hear } = aReactor(PING);
    await hear({ data: { id: 'web1', n: { __kwarg__: true, runas: 'root' } } });
    expect(asked).toEqual([]);
  });

  it('stays under its rate, says so once, counts each, and goes on later', async () => {
    const { asked, notes, counted, hear, pass } = aReactor(PING, { rate: 2 });
    for (let number = 0; number < 5; number += 1) await hear({ id: `gw.${String(number)}` });
    expect(asked).toHaveLength(2);
    expect(notes.filter((note) => note.startsWith('left_out'))).toHaveLength(1);
    expect(counted).toEqual(['ran', 'ran', 'left_out', 'left_out', 'left_out']);
    pass(30_000);
    await hear({ id: 'gw.9' });
    expect(asked).toHaveLength(3);
  });

  it('says once, too, that twice as many come as its rate lets through, however long that goes on', async () => {
    const { asked, notes, counted, hear, pass } = aReactor(PING, { rate: 60 });
    for (let number = 0; number < 300; number += 1) {
      await hear({ id: `gw.${String(number)}` });
      pass(500);
    }
    expect(asked.length + counted.filter((became) => became === 'left_out').length).toBe(300);
    expect(asked).toHaveLength(209);
    expect(notes.filter((note) => note.startsWith('left_out'))).toHaveLength(1);
  });

  it('that has run before costs nothing of its rate', async () => {
    const { asked, hear } = aReactor(PING, { rate: 2 });
    await hear();
    for (let again = 0; again < 5; again += 1) await hear();
    await hear({ id: 'gw.2' });
    expect(asked.map(({ cause }) => cause.event)).toEqual(['gw.1', 'gw.2']);
    await hear({ id: 'gw.3' });
    expect(asked).toHaveLength(2);
  });

  it('waits for what those that have run before give back', async () => {
    const { asked, notes, hear, hearAtOnce, pass } = aReactor(PING, { rate: 2 });
    await hear();
    await hear({ id: 'gw.2' });
    pass(60_000);
    await hearAtOnce(['gw.1', 'gw.2', 'gw.1', 'gw.2', 'gw.3', 'gw.4', 'gw.5']);
    expect(asked.map(({ cause }) => cause.event)).toEqual(['gw.1', 'gw.2', 'gw.3', 'gw.4']);
    expect(notes.filter((note) => note.startsWith('left_out'))).toHaveLength(1);
  });

  it.each([
    ['that lack a value', { data: {} }],
    [
      'that came one from another',
      { data: { ...EVENT.data, _cause: { depth: 9 } }, origin: { kind: 'runner', name: 'r' } },
    ],
  ])(
    'events %s do not fill the log: sixty are told at once, then one a second, and each is counted',
    async (_, event) => {
      const { asked, notes, counted, hear, pass } = aReactor(PING);
      const hearMany = async (count: number) => {
        for (let number = 0; number < count; number += 1) await hear({ ...event, id: `gw.${String(number)}` });
      };
      await hearMany(1000);
      const toldAtOnce = notes.splice(0);
      pass(10_000);
      await hearMany(1000);
      expect([toldAtOnce.length, notes.length, counted.length, asked]).toEqual([61, 10, 2000, []]);
      expect(toldAtOnce.at(-1)).toContain('more are left out than are told here');
      await hear({ id: 'gw.good' });
      expect(asked).toHaveLength(1);
    },
  );

  it('is left out when too many came one from another; only a service’s word on that counts', async () => {
    const { asked, hear } = aReactor(PING, { depth: 2 });
    const data = { ...EVENT.data, _cause: { depth: 2 } };
    await hear({ data, origin: { kind: 'service', name: 'gateway' } });
    expect(asked).toEqual([]);
    await hear({ data, id: 'gw.3' });
    expect(asked).toHaveLength(1);
  });
});

describe('a runner that reaches minions', () => {
  const SPOKEN = [
    { 'runner.salt.execute': [{ tgt: '${data.id}' }, { fun: 'test.ping' }] },
    { 'runner.salt.execute': [{ args: ['${data.id}', 'test.ping'] }] },
    { 'runner.salt.execute': [{ args: ['web2', 'test.ping'] }, { tgt: '${data.id}' }] },
    { 'runner.survey.hash': [{ args: ['${data.id}', 'test.ping'] }] },
    { 'runner.survey.diff': [{ args: [['${data.id}'], 'test.ping'] }] },
  ];

  it.each(SPOKEN)('is asked for the one minion that the event names: %j', async (call) => {
    const { asked, hear } = aReactor(call);
    await hear();
    expect(asked.map(({ args }) => JSON.stringify(args))).toEqual([expect.stringContaining('web1')]);
  });

  it.each(SPOKEN)('and never for more than one: %j', async (call) => {
    const { asked, notes, hear } = aReactor(call);
    for (const [at, id] of ['*', 'web*', 'a,b', '@ops', 'a or b', ['*'], null].entries())
      await hear({ id: `gw.${String(at)}`, data: { ...EVENT.data, id } });
    expect(asked).toEqual([]);
    expect(new Set(notes)).toEqual(new Set(['left_out: the event names more than minions by their ids as the target']));
  });

  it('a target that is written is no matter of the event', async () => {
    const { asked, hear } = aReactor({ 'runner.salt.execute': [{ args: ['web*', 'test.arg', ['${data.id}']] }] });
    await hear({ data: { ...EVENT.data, id: '*' } });
    expect(asked.map(({ args }) => args)).toEqual([['web*', 'test.arg', ['*']]]);
  });

  it.each([
    ['fun', [{ tgt: 'web1' }, { fun: '${data.id}' }]],
    ['fun', [{ args: ['web1', 'test.${data.id}'] }]],
    ['tgt_type', [{ args: ['web1', 'test.ping'] }, { tgt_type: '${data.id}' }]],
    ['tgt_type', [{ args: ['web1', 'test.ping', [], 5, '${data.id}'] }]],
  ])('takes no %s of an event: %j', (name, call) => {
    expect(problem(rule({ 'runner.salt.execute': call }))).toBe(`${name} is never an event's to say`);
  });

  it('a runner that only looks takes what an event says', async () => {
    const { asked, hear } = aReactor({ 'runner.mine.get': [{ tgt: '${data.id}' }, { fun: '${data.list.0}' }] });
    await hear({ data: { ...EVENT.data, id: '*' } });
    expect(asked).toHaveLength(1);
  });
});
