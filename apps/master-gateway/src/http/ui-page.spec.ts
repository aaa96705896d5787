/** Rules of the page that need no browser. Its life in one: tests/system/ui.spec.ts. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

describe('the state of a minion', () => {
  it('is its presence, or that of its key', () => {
    const keys = { return: { minions_pre: ['new1'], minions_rejected: ['old1'], minions_denied: [] } };
    expect(statesOf({ up: ['web1'], down: ['db1'] }, keys)).toEqual([
      ['web1', { kind: 'good', text: 'up' }],
      ['db1', { kind: 'waiting', text: 'down' }],
      ['new1', { kind: 'warn', text: 'key waits' }],
      ['old1', { kind: 'warn', text: 'key rejected' }],
    ]);
  });

  it('stays up when somebody asks to join under its id', () => {
    expect(statesOf({ up: ['web1'], down: [] }, { return: { minions_denied: ['web1'] } })).toEqual([
      ['web1', { kind: 'good', text: 'up, another key denied' }],
    ]);
  });

  it('is what is known, where one of the two was refused', () => {
    expect(statesOf(undefined, { return: { minions_pre: ['a'] } })).toEqual([['a', { kind: 'warn', text: 'key waits' }]]);
    expect(statesOf({ up: ['a'] }, undefined)).toEqual([['a', { kind: 'good', text: 'up' }]]);
  }); // prettier-ignore

  function statesOf(status: unknown, keys: unknown): unknown {
    const asked = [status, keys].map((one) => (one === undefined ? 'undefined' : JSON.stringify(one))).join(', ');
    return answerOf(`import { statesOf } from './minions.mjs'; tell([...statesOf(${asked})]);`);
  }
});

it('rows that stay are not moved when one before them goes, or comes', () => {
  const told = answerOf(`
    import { keep } from './dom.mjs';
    const moved = [];
    const parent = { children: [], insertBefore(child, before) {
      if (this.children.includes(child)) { moved.push(child.dataset.key); child.remove(); }
      this.children.splice(before ? this.children.indexOf(before) : this.children.length, 0, child);
    } };
    const make = () => ({ dataset: {}, remove() { parent.children.splice(parent.children.indexOf(this), 1); } });
    const shown = (...items) => {
      keep(parent, items, { key: (item) => item, says: () => '', make });
      return parent.children.map(({ dataset }) => dataset.key).join('');
    };
    tell([shown('b', 'c', 'd'), shown('c', 'd'), shown('a', 'c', 'd', 'e'), shown('e'), moved]);
  `);
  expect(told).toEqual(['bcd', 'cd', 'acde', 'e', []]);
});

it('a job is shown whatever an event said of it, also one that a script of the master fired', () => {
  const told = answerOf(`
    import { begun, returned } from './jobs.mjs';
    const job = (...steps) => { const one = { returns: new Map() }; for (const step of steps) step(one); return one; };
    tell([
      job((one) => begun(one, {})),
      job((one) => begun(one, { fun: 'test.arg', arg: 'x', minions: 7 }), (one) => returned(one, 'a', { fun_args: { x: 1 } })),
    ].map(({ args, minions = 'unknown' }) => [args, minions]));
  `);
  expect(told).toEqual([[[], 'unknown'], [[], 'unknown']]);
}); // prettier-ignore

it('events that stand still do so under another filter as well', () => {
  const told = answerOf(`
    class Element {
      children = []; dataset = {}; value = ''; heard = {};
      setAttribute() {}
      addEventListener(name, hear) { this.heard[name] = hear; }
      append(...more) { this.children.push(...more); }
      prepend(...more) { this.children.unshift(...more); }
      replaceChildren(...all) { this.children = all; }
    }
    globalThis.document = { createElement: () => new Element() };
    globalThis.requestAnimationFrame = (draw) => draw();
    const { EventsView } = await import('./events.mjs');
    const view = new EventsView();
    const [bar, , list] = view.root.children;
    const [, filter, pause] = bar.children;
    const hear = (tag) => view.event({ tag, data: { _stamp: '' } });
    const counts = [];
    const count = () => counts.push(list.children.length);
    hear('a/1'); count();
    pause.heard.click(); hear('a/2'); count();
    filter.value = 'a/'; filter.heard.input(); count();
    pause.heard.click(); count();
    tell(counts);
  `);
  expect(told).toEqual([1, 1, 1, 2]);
});

/** What a module of the page answers, in a Node of its own: it has no types, and no place in ours. */
function answerOf(script: string): unknown {
  const told = 'const tell = (what) => console.log(JSON.stringify(what));';
  const cwd = fileURLToPath(new URL('./ui/', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', `${told}\n${script}`], { cwd, encoding: 'utf8' }),
  ) as unknown;
}
