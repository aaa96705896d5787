import { Float } from '@natrium/model';
import { clientOf, localAsk, runAsk, wordsOf } from './lowstate.js';
import { yamlIn } from './request-body.js';

const kw = (named: object) => ({ __kwarg__: true, ...named });

describe('a lowstate of local', () => {
  it.each([
    [{ fun: 'test.ping' }, ['test.ping'], [[]]],
    [{ fun: 'a.b,c.d', arg: [[1], 'x'] }, ['a.b', 'c.d'], [[1], ['x']]],
    [{ fun: ['a.b', 'c.d'], arg: [[], ['x=1']] }, ['a.b', 'c.d'], [[], [kw({ x: 1 })]]],
    [{ fun: ['a.b'], arg: [['one', 'x=1']] }, ['a.b'], [['one', kw({ x: 1 })]]],
    [{ fun: ['a.b'] }, ['a.b'], [[]]],
    [{ fun: 'a.b', arg: 'one' }, ['a.b'], [['one']]],
    [{ fun: 'a.b', arg: ['2', 'k=2', 'a b=c'] }, ['a.b'], [['2', 'a b=c', kw({ k: 2 })]]],
    [{ fun: 'a.b', arg: [1], kwarg: { x: '2', __kwarg__: false } }, ['a.b'], [[1, kw({ x: '2' })]]],
    [
      { fun: 'a.b', arg: [20261123005056271607n, [20261123005056271607n], 2026112300505627160n] },
      ['a.b'],
      [['20261123005056271607', [20261123005056271607n], 2026112300505627160n]],
    ],
    [{ fun: 'a.b', arg: ['k=20261123005056271607'] }, ['a.b'], [[kw({ k: 20261123005056271607n })]]],
    [{ fun: 'a.b', token: 'x', batch: null, expr_form: 'list' }, ['a.b'], [[]]],
  ])('%# %s', (low, funs, args) => {
    const only = Array.isArray(low.fun) && low.fun.length === 1 ? 'a.b' : undefined;
    expect(localAsk({ tgt: '*', ...low }, 5)).toEqual({
      tgt: '*', tgtType: 'glob', delimiter: undefined, funs, only, args, returner: '', timeout: 5, silentMs: undefined, isFull: false, metadata: null,
    }); // prettier-ignore
  });

  it('has 64 functions at most, and where there are several 2,048 named arguments for all of them, before any of it is put together', () => {
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${String(n)}`, n]));
    const low = (funs: number, names: number) => ({
      tgt: '*',
      fun: Array.from({ length: funs }, () => 'test.ping'),
      kwarg: named(names),
    });
    const fits = (funs: number, names: number) => expect(localAsk(low(funs, names), 5).args).toHaveLength(funs);
    fits(64, 32);
    fits(2, 1024);
    fits(1, 10_000);
    for (const [funs, names] of [
      [65, 1],
      [64, 33],
      [2, 1025],
    ] as const)
      // prettier-ignore
      expect(() => localAsk(low(funs, names), 5)).toThrow('does not fit into a request');
  });

  it('has a number as its target by its text, also as an address', () => {
    expect(localAsk({ fun: 'f.f', tgt: 7 }, 5)).toMatchObject({ tgt: '7', tgtType: 'glob' });
    expect(localAsk({ fun: 'f.f', tgt: 167_772_171, tgt_type: 'ipcidr' }, 5).tgt).toBe('167772171');
  });

  it('names its target as a text, or as a list with or without commas', () => {
    for (const tgt_type of ['', null]) expect(localAsk({ fun: 'f.f', tgt: 'a*', tgt_type }, 5).tgtType).toBe('glob');
    expect(localAsk({ fun: 'f.f', tgt: 'a, b', tgt_type: 'list' }, 5).tgt).toEqual(['a', 'b']);
    expect(localAsk({ fun: 'f.f', tgt: 'a,, ', tgt_type: 'list' }, 5).tgt).toEqual(['a']);
    expect(localAsk({ fun: 'f.f', tgt: ['a', ''], tgt_type: 'list' }, 5).tgt).toEqual(['a']);
    expect(localAsk({ fun: 'f.f', tgt: ['a', 'b'], tgt_type: 'list' }, 5).tgt).toEqual(['a', 'b']);
    expect(localAsk({ fun: 'f.f', tgt: 'G@os:x and a*', tgt_type: 'compound' }, 5).tgt).toBe('G@os:x and a*');
  });

  it.each([['/', '/'], ['', undefined], [null, undefined], [7, undefined]])('with delimiter: %j has the delimiter %j', (delimiter, wanted) => {
    expect(localAsk({ tgt: '*', fun: 'a.b', delimiter }, 5).delimiter).toBe(wanted);
  }); // prettier-ignore

  it.each([
    ['True', true], ['true', true], [true, true], [1, true], ['1', true],
    ['False', false], ['0', false], [0, false], [false, false], [null, false], ['', false],
  ])('with full_return: %j is told in full: %j', (full, isFull) => {
    expect(localAsk({ tgt: '*', fun: 'a.b', full_return: full }, 5).isFull).toBe(isFull);
    expect(runAsk('run', { fun: 'a.b', full_return: full }, 5).isFull).toBe(isFull);
  }); // prettier-ignore

  it.each([
    [{ tgt: '*' }, "'fun'"],
    [{ fun: 'a.b' }, "'tgt'"],
    [{ tgt: '*', fun: [] }, "'fun'"],
    [{ tgt: '*', fun: { a: 1 } }, 'fun is a text'],
    [{ tgt: { a: 1 }, fun: 'a.b' }, 'tgt is a text'],
    [{ tgt: '*', fun: 'a.b', kwarg: [1] }, 'kwarg is a mapping'],
    [{ tgt: '*', fun: 'a.b', timeout: 'soon' }, 'timeout is a number'],
    [{ tgt: '*', fun: 'a.b', gather_job_timeout: 'soon' }, 'gather_job_timeout is a number'],
  ])('%j is refused: %s', (low, why) => {
    expect(() => localAsk(low, 5)).toThrow(why);
  });

  it('waits from a second to a day', () => {
    for (const [timeout, wanted] of [[0, 1], ['7', 7], [1e9, 86_400], [null, 5], ['', 5], [' ', 5]] as const) {
      expect(localAsk({ tgt: '*', fun: 'a.b', timeout }, 5).timeout).toBe(wanted);
    }
  }); // prettier-ignore

  it.each([
    ['as long as its lowstate says', 3, 3000],
    ['as long as a text says', '0.5', 500],
    ['as little as the master file may say', -1, 100],
    ['as much as the master file may say', 1e9, 3_600_000],
    ['as the master file says where it says nothing', '', undefined],
    ['as the master file says where it is false', false, undefined],
  ])('minions may be silent %s', (_, gather_job_timeout, wanted) => {
    expect(localAsk({ tgt: '*', fun: 'a.b', gather_job_timeout }, 5).silentMs).toBe(wanted);
  });

  it.each([[null], [''], [' '], [[]], [{}], [false], [new Float(0)]])('waits the usual time where its timeout is %j, which says none', (timeout) => {
    expect(localAsk({ tgt: '*', fun: 'a.b', timeout }, 5).timeout).toBe(5);
    for (const what of ['run', 'wheel'] as const) expect(runAsk(what, { fun: 'a.b', timeout }, 300).timeout).toBe(300);
  }); // prettier-ignore
});

describe('a lowstate of runner and wheel', () => {
  it.each([
    [{ fun: 'jobs.list_job', jid: '7' }, [kw({ jid: '7' })]],
    [{ fun: 'x.y', arg: ['a', 'k=[1]'], kwarg: { z: 1 }, full_return: true, timeout: 3 }, ['a', kw({ k: [1], z: 1 })]],
    [{ fun: 'x.y', x: 1, kwarg: { x: 2, y: 2 }, arg: ['x=3', 'y=3', 'z=3'] }, [kw({ x: 1, y: 2, z: 3 })]],
    [{ fun: 'x.y', match: '*', token: 't', username: 'u', password: 'p', eauth: 'e', __x: 1 }, [kw({ match: '*' })]],
    [{ fun: 'x.y', match: '*', username: 'u', sharedsecret: 's', eauth: 'sharedsecret' }, [kw({ match: '*' })]],
  ])('%j takes its other keys as arguments, but no credentials', (low, args) => {
    for (const what of ['run', 'wheel'] as const)
      expect(runAsk(what, { client: 'runner', ...low }, 60).args).toEqual(args);
  });

  it.each([
    [
      ['2', '[a]', '{a: 1}', 'yes', 'text'],
      [2, ['a'], { a: 1 }, true, 'text'],
    ],
    [
      ['k=2', 'x y=2', '20261123005056271607'],
      ['x y=2', '20261123005056271607', kw({ k: 2 })],
    ],
    ['2', [2]],
    [
      [2, ['2'], { a: '2' }, kw({ b: '2' })],
      [2, ['2'], { a: '2' }, kw({ b: '2' })],
    ],
  ])('has the texts in arg: %j read as a command line’s where it is a runner’s, and they alone', (arg, args) => {
    expect(runAsk('run', { fun: 'x.y', arg }, 60).args).toEqual(args);
    expect(runAsk('run', { fun: 'x.y', n: '2', kwarg: { m: '2' } }, 60).args).toEqual([kw({ n: '2', m: '2' })]);
  });

  it('of the wheel keeps its texts, as one of local does', () => {
    expect(runAsk('wheel', { fun: 'x.y', arg: ['2', '[a]', 'k=2'] }, 60).args).toEqual(['2', '[a]', kw({ k: 2 })]);
  });
});

describe('a client', () => {
  it('is one that there is and that is enabled', () => {
    expect(clientOf({ client: 'local' }, new Set(['local']))).toBe('local');
    expect(() => clientOf({ client: 'local' }, new Set())).toThrow("Client disabled: 'local'");
    for (const client of ['ssh', 'toString', '', null, 7]) {
      expect(() => clientOf({ client }, new Set(['ssh', 'toString']))).toThrow('Invalid client specified');
    }
    const said = (client: Parameters<typeof clientOf>[0][string]) => () => clientOf({ client }, new Set(['local']));
    expect(() => clientOf({}, new Set(['local']))).toThrow("Invalid client specified: 'None'");
    expect(said(7)).toThrow("Invalid client specified: '7'");
    expect(said(['local', 'local'])).toThrow('Invalid client specified: a list');
    expect(said({ local: 1 })).toThrow('Invalid client specified: a mapping');
    expect(said('ssh')).toThrow("Invalid client specified: 'ssh' is not built; minions are asked by 'local'");
  });
});

describe('what is read of a lowstate as YAML', () => {
  const long = 'k='.padEnd(1000, '[');

  it.each([
    { arg: long },
    { arg: [long] },
    { arg: [['x'], [long]] },
    { arg: `${long}\n` },
    { full_return: long },
    { failhard: long },
    { client: 'runner', arg: long.slice(2) },
    { client: 'runner_async', arg: [long.slice(2)] },
    { client: 'wheel', arg: [long] },
  ])('is counted: %#', (low) => {
    expect(yamlIn(wordsOf(low))).toBeGreaterThan(1000);
  });

  it.each([
    { kwarg: { k: long } },
    { k: long },
    { tgt: long },
    { metadata: long },
    { arg: [1, { k: long }] },
    { arg: long.slice(2) },
    { client: 'wheel', arg: [long.slice(2)] },
    { arg: `${long}\n\n` },
    { arg: `${long}\t[` },
    { client: 'runner', arg: `${long}\n[` },
  ])('is nothing of what stays as it is: %#', (low) => {
    expect(yamlIn(wordsOf(low))).toBe(0);
  });
});
