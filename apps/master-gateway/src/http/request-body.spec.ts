import { Float } from '@natrium/model';
import { BadRequestException, NotAcceptableException } from '@nestjs/common';
import { lowstates, readBody } from './request-body.js';

const read = (type: string | undefined, text: string) => readBody(type, Buffer.from(text));

describe('a body', () => {
  it.each([
    ['application/json', '{"client":"local","arg":["1"]}', { client: 'local', arg: ['1'] }],
    ['application/json; charset=utf-8', '[1]', [1]],
    [
      'application/json',
      '[20261123005056271607, 1.0, 1e2, 0.5, 7]',
      [20261123005056271607n, new Float(1), new Float(100), 0.5, 7],
    ],
    ['text/plain', '20261123005056271607', 20261123005056271607n],
    ['text/plain;charset=UTF-8', '{"a":1}', { a: 1 }],
    ['text/plain', 'no JSON', 'no JSON'],
    ['application/x-yaml', 'a: [1, yes]', { a: [1, true] }],
    ['text/yaml', '- a: b', [{ a: 'b' }]],
    ['application/x-www-form-urlencoded', 'fun=x&arg=1', { fun: 'x', arg: [1] }],
    ['application/x-www-form-urlencoded', 'arg=1&arg={a: 2}&arg=k=v', { arg: [1, { a: 2 }, 'k=v'] }],
    ['application/x-www-form-urlencoded', 'tgt=1&tgt=2&kwarg={a: 1}', { tgt: ['1', '2'], kwarg: { a: 1 } }],
    [undefined, 'a=b+c%20d', { a: 'b c d' }],
    [undefined, 'arg=&timeout=&token=&kwarg=&batch&=&tgt=+&fun=x', { tgt: ' ', fun: 'x' }],
    [undefined, 'arg=&arg=1&tgt=a&tgt=', { arg: [1], tgt: 'a' }],
    [undefined, 'arg=""', { arg: [''] }],
    [undefined, 'timeout=', {}],
  ])('of the type %s, %s, is read', (type, text, value) => {
    expect(read(type, text)).toEqual(value);
  });

  it('that is empty is none', () => {
    expect(read('application/json', '')).toBeUndefined();
  });

  it.each([
    ['application/json', '{'],
    ['application/json', ''.padEnd(200, '[')],
    ['application/json', `${'['.repeat(70)}1${']'.repeat(70)}`],
    ['application/json', '{"__proto__": {"a": 1}}'],
    ['application/json', '"\\ud800"'],
    ['application/x-yaml', 'a: [1'],
    ['application/x-yaml', `a: &a [x, x, x, x, x, x, x, x]\nb: &b [${'*a, '.repeat(99)}]\nc: &c [${'*b, '.repeat(99)}]\nd: [${'*c, '.repeat(99)}]`],
    ['application/json', `[${'9'.repeat(401)}]`],
    ['application/x-www-form-urlencoded', 'a=1&'.repeat(1001)],
    ['application/x-www-form-urlencoded', 'a=&'.repeat(1001)],
    ['application/x-www-form-urlencoded', '__proto__=1&username=x'],
  ])('of the type %s that is malformed or costs too much is refused (%#)', (type, text) => {
    expect(() => read(type, text)).toThrow(BadRequestException);
  }); // prettier-ignore

  it('of another type is not acceptable', () => {
    expect(() => read('text/csv', 'a')).toThrow(NotAcceptableException);
  });
});

describe('lowstates', () => {
  it('are a list, and a mapping is a list of one', () => {
    expect(lowstates({ a: 1 })).toEqual([{ a: 1 }]);
    expect(lowstates([{ a: 1 }, { b: 1 }])).toEqual([{ a: 1 }, { b: 1 }]);
    for (const other of [undefined, null, 'text', 1, [1], [[]]]) {
      expect(() => lowstates(other)).toThrow('Lowstates must be a list');
    }
  });
});
