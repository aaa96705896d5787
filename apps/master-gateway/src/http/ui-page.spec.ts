/** Rules of the page that need no browser. Its life in one: tests/system/ui.spec.ts. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

describe('the state of a minion', () => {
  it('is its presence, or that of its key', () => {
    const keys = { minions_pre: ['new1'], minions_rejected: ['old1'], minions_denied: [] };
    expect(statesOf({ up: ['web1'], down: ['db1'] }, keys)).toEqual([
      ['web1', { kind: 'good', text: 'up' }],
      ['db1', { kind: 'waiting', text: 'down' }],
      ['new1', { kind: 'warn', text: 'key waits' }],
      ['old1', { kind: 'warn', text: 'key rejected' }],
    ]);
  });

  it('stays up when somebody asks to join under its id', () => {
    expect(statesOf({ up: ['web1'], down: [] }, { minions_denied: ['web1'] })).toEqual([
      ['web1', { kind: 'good', text: 'up, another key denied' }],
    ]);
  });

  it('is what is known, where one of the two was refused', () => {
    expect(statesOf(undefined, { minions_pre: ['a'] })).toEqual([['a', { kind: 'warn', text: 'key waits' }]]);
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
    import { begun, newJob, returned } from './job.mjs';
    const job = (...steps) => { const one = newJob('1'); for (const step of steps) step(one); return one; };
    tell([
      job((one) => begun(one, {})),
      job((one) => begun(one, { fun: 'test.arg', arg: 'x', minions: 7 }), (one) => returned(one, 'a', { fun_args: { x: 1 } })),
    ].map(({ args, minions = 'unknown' }) => [args, minions]));
  `);
  expect(told).toEqual([[[], 'unknown'], [[], 'unknown']]);
}); // prettier-ignore

it('a return is drawn anew when something new is told of it, and the whole of it is never given up for less', () => {
  const told = answerOf(`
    import { isTrimmed, learn, newJob, returned } from './job.mjs';
    const job = newJob('1');
    const versions = () => [job.version, job.returns.get('a').version, job.returns.get('a').ret, isTrimmed(job, 'a')];
    const heard = () => returned(job, 'a', { fun: 'x.y', return: 'VALUE_TRIMMED', retcode: 0, success: true });
    const cached = (Target) => learn(job, { Function: 'x.y', Target, Result: { a: { return: ['all'], retcode: 0, success: true } } });
    tell([heard, heard, () => cached('*'), () => cached('*'), heard, () => cached('web*')].map((step) => (step(), versions())));
  `);
  expect(told).toEqual([
    [1, 1, 'VALUE_TRIMMED', true],
    [1, 1, 'VALUE_TRIMMED', true],
    [2, 2, ['all'], false],
    [2, 2, ['all'], false],
    [3, 2, ['all'], false],
    [4, 2, ['all'], false],
  ]);
});

it('a runner that failed is refused with its sentence, and so is what is no map', () => {
  const told = answerOf(`
    import { mapIn } from './api.mjs';
    const said = (value) => { try { return mapIn(value); } catch (cause) { return cause.message; } };
    tell([{ a: 1 }, 'Exception occurred in runner x.y: no', '', null, ['a'], true].map(said));
  `);
  const UNREADABLE = 'The gateway answered with something that this page cannot read.';
  expect(told).toEqual([{ a: 1 }, 'Exception occurred in runner x.y: no', ...Array<string>(4).fill(UNREADABLE)]);
});

it('an answer that comes after a later question’s is old', () => {
  const told = answerOf(`
    import { inOrder } from './api.mjs';
    const ask = inOrder();
    const [first, second, third, fourth] = [ask(), ask(), ask(), ask()];
    tell([second(), first(), fourth(), third()]);
  `);
  expect(told).toEqual([true, false, true, false]);
});

it('a stream on which nothing comes for 40 s is begun anew where it was; beats keep it', () => {
  const told = answerOf(`
    let now = 0;
    const timers = new Map();
    globalThis.setTimeout = (what, ms) => { const timer = {}; timers.set(timer, { what, at: now + ms }); return timer; };
    globalThis.clearTimeout = (timer) => timers.delete(timer);
    const { follow } = await import('./stream.mjs');
    const heard = [];
    let send;
    const open = async (_, { signal, headers }) => {
      heard.push(headers);
      const start = (controller) => {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      };
      return { body: new ReadableStream({ start }) };
    };
    const passed = async (ms, text) => {
      now += ms;
      for (const [timer, { what, at }] of timers) if (at <= now) { timers.delete(timer); what(); }
      if (text !== undefined) send(text);
      for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
      heard.push(ms);
    };
    const end = follow({ open }, { state: (state) => heard.push(state), event: ({ tag }) => heard.push(tag) });
    await passed(0, 'data: {"tag":"a"}\\nid: 7\\n\\n');
    await passed(39_000, 'retry: 400\\n');
    await passed(39_000);
    await passed(1000);
    await passed(400);
    end();
    await passed(400);
    tell(heard);
  `);
  // Who asks otherwise gets neither ids nor beats.
  const asked = { Accept: 'text/event-stream', 'Cache-Control': 'no-cache' };
  expect(told).toEqual([
    ...['connecting', asked, 'live', 'a', 0],
    ...[39_000, 39_000, 'silent', 1000],
    ...[{ ...asked, 'Last-Event-ID': '7' }, 'live', 400, 400],
  ]);
});

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
