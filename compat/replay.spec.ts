/** The corpus through the project's own code, and the proof that the replay bites. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCase, readCorpus } from './corpus.js';
import { main, replay } from './replay.js';

const CASES = join(import.meta.dirname, 'cases');

describe('the replay', () => {
  it('finds no difference in the recorded cases', async () => {
    const lines: string[] = [];
    const status = await main([CASES], (line) => lines.push(line));
    expect(lines.filter((line) => line.includes('expected'))).toEqual([]);
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed$/);
    expect(status).toBe(0);
  });

  it('covers every family of the format', async () => {
    const reports = await replay(readCorpus(CASES));
    expect(reports.map(({ family }) => family).sort()).toEqual(
      [
        'auth_check', 'cli_args', 'compound', 'data_match', 'external_auth', 'nodegroup', 'peer', 'peer_run', 'pub_ret',
        'publish_module', 'publisher_acl', 'spec_check', 'target', 'user_match',
      ], // prettier-ignore
    );
  });

  it('plays the others where one file holds no cases', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'natrium-replay-'));
    writeFileSync(join(dir, 'none.jsonl'), '\n');
    const lines: string[] = [];
    const status = await main([join(dir, 'none.jsonl'), join(CASES, 'nodegroup.jsonl')], (line) => lines.push(line));
    rmSync(dir, { recursive: true });
    expect(lines.at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
    expect(status).toBe(0);
  });

  it.each([
    ['nowhere', /^DIR\/nowhere: ENOENT: /],
    ['.', /^DIR\/\.: there is no case$/],
    ['words.jsonl', /^DIR\/words\.jsonl:2: Unexpected token/],
  ])('of %s, which holds no cases, passes nothing: a sentence, and 2', async (name, sentence) => {
    const dir = mkdtempSync(join(tmpdir(), 'natrium-replay-'));
    if (name.endsWith('l')) writeFileSync(join(dir, name), '\nhello\n');
    const lines: string[] = [];
    const status = await main([`${dir}/${name}`], fail, (line) => lines.push(line.replaceAll(dir, 'DIR')));
    rmSync(dir, { recursive: true });
    expect({ status, lines }).toEqual({ status: 2, lines: [expect.stringMatching(sentence) as string] });
  });

  function fail(line: string): never {
    throw new Error(`nothing was to be printed: ${line}`);
  }

  const allowed = {
    id: 'x',
    family: 'peer',
    inventory: 'two',
    config: { peer: { web: ['test.*'] } },
    request: { id: 'web1', fun: 'test.ping', arg: ['1'], tgt: '*' },
  };
  const inventories = { two: { accepted: ['web1', 'db1'], cache: {} } };
  const outcome = async (expected: object): Promise<number> => {
    const one = readCase(JSON.stringify({ ...allowed, expect: expected }));
    const [report] = await replay({ cases: [one], inventories });
    return report?.failures.length ?? -1;
  };

  it.each([
    [{ verdict: 'allow', minions: ['db1', 'web1'] }, 0],
    [{ verdict: 'deny', reply: {} }, 1],
    [{ verdict: 'allow', minions: ['web1'] }, 1],
    [{ verdict: 'allow', minions: ['web1', 'db1'], published: { arg: ['1'] } }, 1],
  ])('tells %j from the answer', async (expected, failures) => {
    expect(await outcome(expected)).toBe(failures);
  });

  it('has nothing of a peer’s fields that are left out, also of those that need not be there', async () => {
    const answers = async (omit: readonly string[], expected: object) => {
      const request = { ...allowed.request, tgt: 'web.*', tgt_type: 'pcre', no_parse: ['k'], arg: ['k=1'], omit };
      const one = readCase(JSON.stringify({ ...allowed, request, expect: expected }));
      return (await replay({ cases: [one], inventories }))[0]?.failures.length;
    };
    const published = { fun: 'test.ping', tgt: 'web.*', tgt_type: 'pcre', ret: '' };
    const arg = (k: unknown) => [{ __kwarg__: true, k }];
    const met = { verdict: 'allow', minions: ['web1'] };
    expect(await answers([], { ...met, published: { ...published, arg: arg('1') } })).toBe(0);
    expect(await answers(['no_parse'], { ...met, published: { ...published, arg: arg(1) } })).toBe(0);
    expect(await answers(['tgt_type'], { verdict: 'allow', minions: [] })).toBe(0);
    expect(await answers(['ret'], { verdict: 'deny' })).toBe(0);
  });

  const failuresOf = async (one: object): Promise<number | undefined> => {
    const cases = [readCase(JSON.stringify({ id: 'x', inventory: 'two', ...one }))];
    return (await replay({ cases, inventories }))[0]?.failures.length;
  };

  it.each([
    ['peer', { arg: null }],
    ['peer', { tgt_type: null }],
    ['peer', { tgt_type: 5 }],
    ['peer_run', { arg: null }],
  ])('refuses a %s with %j, on which the original fails', async (family, odd) => {
    const request = { ...allowed.request, ...odd };
    const config = { peer: { web: ['test.*'] }, peer_run: { web: ['test.*'] } };
    expect(await failuresOf({ family, config, request, expect: { verdict: 'deny', reply: {} } })).toBe(0);
  });

  it('has no list of a higher master in null, and full access in an empty one', async () => {
    const config = { publisher_acl: { fred: ['cmd.*'] }, sudo_acl: true };
    const asked = { user: 'sudo_fred', key_of: 'root', fun: 'test.ping', arg: [], tgt: '*' };
    const verdict = (list: unknown, expected: string) =>
      failuresOf({
        family: 'publisher_acl',
        config,
        request: { ...asked, auth_list: list },
        expect: { verdict: expected },
      });
    expect(await verdict(null, 'deny')).toBe(0);
    expect(await verdict([], 'allow')).toBe(0);
  });

  it('lets a peer name a node group with a pattern on pillar in it, and not write the pattern', async () => {
    const config = { nodegroups: { fronts: 'I@role:w*' } };
    const request = { auth_list: ['test.*'], fun: 'test.ping', arg: [], publish_validate: true };
    const verdict = (tgt: string, type: string, expected: string) =>
      failuresOf({
        family: 'auth_check',
        config,
        request: { ...request, tgt, tgt_type: type },
        expect: { verdict: expected },
      });
    expect(await verdict('fronts', 'nodegroup', 'allow')).toBe(0);
    expect(await verdict('I@role:w*', 'compound', 'deny')).toBe(0);
    expect(await verdict('N@fronts', 'compound', 'deny')).toBe(0);
  });

  it('has no match where the value or the expression is no text', async () => {
    for (const [value, expr] of [
      ['', null],
      ['', 5],
      [null, ''],
    ]) {
      const request = { op: 'expr_match', value, expr };
      const one = readCase(JSON.stringify({ id: 'x', family: 'user_match', request, expect: { match: false } }));
      expect((await replay({ cases: [one], inventories }))[0]?.failures).toEqual([]);
    }
  });

  it('has of a list that is no list of texts only the texts meant, and the rest missing', async () => {
    const failures = async (request: object, expected: object) => {
      const one = readCase(JSON.stringify({ id: 'x', family: 'target', inventory: 'two', request, expect: expected }));
      return (await replay({ cases: [one], inventories }))[0]?.failures.length;
    };
    const list = (tgt: unknown) => ({ tgt, tgt_type: 'list' });
    expect(await failures(list(['web1', 5, [null]]), { minions: ['web1'], missing: [5, [null]] })).toBe(0);
    expect(await failures(list({ web1: 1, x: 2 }), { minions: ['web1'], missing: ['x'] })).toBe(0);
    expect(await failures(list([5]), { minions: [], missing: [] })).toBe(1);
    expect(await failures(list(5), { minions: [], missing: [], invalid: 'x' })).toBe(0);
    expect(await failures({ tgt: ['web1', 5] }, { minions: [], missing: [], invalid: 'x' })).toBe(0);
  });

  it.each([
    ['full_data', { a: {} }, { return: { a: {} } }, 0],
    ['full_data', { a: 'x' }, { return: { a: 'x' } }, 0],
    ['full_data', { a: { ret: 1 } }, { return: { a: {} } }, 1],
    ['publish', { a: {} }, { exception: 'KeyError' }, 0],
  ])(
    'of publish.%s with the answer %j knows that the clean form alone reads `ret`',
    async (fun, answer, expected, n) => {
      const first = { fun: 'test.ping', arg: [], tgt: '*', tgt_type: 'glob', ret: '', tmo: 5, no_parse: [] };
      const replies = [{ jid: '1', minions: ['a'] }, answer];
      const request = { function: fun, args: ['*', 'test.ping'], replies };
      const one = { id: 'x', family: 'publish_module', request, expect: { ...expected, first_request: first } };
      const [report] = await replay({ cases: [readCase(JSON.stringify(one))], inventories: {} });
      expect(report?.failures).toHaveLength(n);
    },
  );

  it.each([null, '5'])('of a publish with the timeout %j ends with what has not returned at once', async (timeout) => {
    const kwargs = { timeout };
    const replies = [{ jid: '1', minions: ['a'] }, {}, { a: { ret: 1 } }];
    const request = { function: 'publish', args: ['*', 'test.ping'], kwargs, replies };
    const first = { fun: 'test.ping', arg: [], tgt: '*', tgt_type: 'glob', ret: '', tmo: timeout, no_parse: [] };
    const expected = { exception: 'TypeError', first_request: first };
    const one = readCase(JSON.stringify({ id: 'x', family: 'publish_module', request, expect: expected }));
    expect((await replay({ cases: [one], inventories: {} }))[0]?.failures).toEqual([]);
  });

  it('sends what is not given in the place of null, as the module does', async () => {
    const first = { fun: 'test.ping', arg: [], tgt: '*', tgt_type: 'glob', ret: '', tmo: 5, no_parse: [] };
    const kwargs = { returner: null, tgt_type: null };
    const request = { function: 'publish', args: ['*', 'test.ping'], kwargs, replies: [{}] };
    const one = { id: 'x', family: 'publish_module', request, expect: { return: {}, first_request: first } };
    const [report] = await replay({ cases: [readCase(JSON.stringify(one))], inventories: {} });
    expect(report?.failures).toEqual([]);
  });

  it('takes `improved` before `expect`', () => {
    expect(readCase('{"id":"q","expect":{"verdict":"allow"},"improved":{"verdict":"deny"}}').expected).toEqual({
      verdict: 'deny',
    });
  });

  it('counts a case with a value that it cannot make as a failure', async () => {
    const { request } = allowed;
    for (const [arg, failures] of [
      [[{ $other: 'x' }], 0],
      [[{ $text: 'x' }], 1],
    ] as const) {
      const one = readCase(JSON.stringify({ ...allowed, request: { ...request, arg }, expect: { verdict: 'allow' } }));
      const [report] = await replay({ cases: [one], inventories });
      expect(report?.failures).toHaveLength(failures);
    }
  });

  it('counts a case that expects nothing as a failure', async () => {
    expect(await outcome({})).toBe(1);
    expect(await outcome({ verdict: 'allow' })).toBe(0);
  });

  it('counts a family that it does not know as a failure', async () => {
    const one = readCase('{"id":"q","family":"unheard_of","expect":{}}');
    const [report] = await replay({ cases: [one], inventories: {} });
    expect(report?.failures).toHaveLength(1);
  });

  it('keeps floats that JSON would lose', () => {
    expect(readCase('{"id":"1.0","request":{"arg":[1.0,1,12345678901234567890,"2.0"]}}').request).toEqual({
      arg: [{ $float: '1.0' }, 1, { $int: '12345678901234567890' }, '2.0'],
    });
  });
});
