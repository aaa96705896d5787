/** Jobs, the newest first: those of the job cache, and those that the event bus tells of, with their returns as they come. */
import { badge, brief, el, keep, msOfJid, note, oncePerFrame, output, say, table, time } from './dom.mjs';

const MOST = 200;
const TAG = /^salt\/job\/(\d{20})\/(?:new|ret\/(.+))$/s;

export class JobsView {
  #api;
  /** jid → job, in no order. */
  #jobs = new Map();
  #open;
  /** Why the open one could not be looked up. */
  #problem = '';
  #isLoaded = false;
  #rows = table('Jobs', ['Started', 'Function', 'Target', 'User', 'Returns']);
  #notes = el('div');
  #empty = el('p', { class: 'empty' });
  #facts = el('div');
  #answers = el('div');
  #detail = el('div', { class: 'detail' }, this.#facts, this.#answers);
  #refresh = el('button', { type: 'button', click: () => void this.#load() }, 'Refresh');
  #bar = el('div', { class: 'bar' }, this.#refresh);
  #due = oncePerFrame(() => this.#render());
  root = el(
    'div',
    {},
    this.#bar,
    this.#notes,
    this.#empty,
    el('div', { class: 'split' }, this.#rows.box, this.#detail),
  );

  constructor({ api }) {
    this.#api = api;
    this.#render();
    void this.#load();
  }

  event({ tag, data }) {
    const [, jid, id] = TAG.exec(tag) ?? [];
    if (jid === undefined) return;
    const job = this.#job(jid);
    if (id === undefined) begun(job, data);
    else returned(job, id, data);
    if (id !== undefined && job === this.#open) say(`${id} returned: ${progress(job)}`);
    this.#due();
  }

  #job(jid) {
    const known = this.#jobs.get(jid) ?? { jid, fun: '', args: [], tgt: '', tgtType: '', user: '', returns: new Map() };
    this.#jobs.set(jid, known);
    // A page in the background draws nothing, and still hears.
    if (this.#jobs.size > 2 * MOST) this.#newest();
    return known;
  }

  /** In order; the others are forgotten. */
  #newest() {
    const sorted = [...this.#jobs.values()].sort((a, b) => (a.jid < b.jid ? 1 : -1));
    for (const { jid } of sorted.splice(MOST)) this.#jobs.delete(jid);
    return sorted;
  }

  async #load() {
    this.#refresh.disabled = true;
    try {
      const [list] = (await this.#api.get('jobs')).return;
      for (const [jid, told] of Object.entries(list).slice(-MOST)) learn(this.#job(jid), told);
      this.#notes.replaceChildren();
    } catch (cause) {
      this.#notes.replaceChildren(note(cause.message, el('p', {}, 'Your own jobs appear here as they run.')));
    }
    this.#refresh.disabled = false;
    this.#isLoaded = true;
    this.#due();
  }

  async #show(job) {
    this.#open = job;
    this.#problem = '';
    this.#render();
    try {
      const { info } = await this.#api.get(`jobs/${job.jid}`);
      learn(job, info[0]);
    } catch (cause) {
      if (this.#open === job) this.#problem = cause.message;
    }
    this.#due();
  }

  #render() {
    const sorted = this.#newest();
    keep(this.#rows.body, sorted, {
      key: ({ jid }) => jid,
      says: (job) => `${job.fun} ${progress(job)} ${job === this.#open}`,
      make: (job) => row(job, job === this.#open, () => void this.#show(job)),
    });
    this.#rows.box.hidden = sorted.length === 0;
    this.#empty.hidden = sorted.length > 0;
    this.#empty.textContent = this.#isLoaded ? 'No job yet. They appear here as they begin.' : 'Loading…';
    if (this.#open !== undefined) this.#renderOpen(this.#open);
  }

  #renderOpen(job) {
    this.#facts.replaceChildren(...factsOf(job), ...(this.#problem === '' ? [] : [note(this.#problem)]));
    const ids = [...new Set([...(job.minions ?? []), ...job.returns.keys()])].sort();
    keep(this.#answers, ids, {
      key: (id) => `${job.jid} ${id}`,
      says: (id) => String(job.returns.has(id)),
      make: (id) => answer(id, job.returns.get(id)),
    });
  }
}

/** What an event says of a job; a script of the master may fire such a tag too, with anything in it. */
export function begun(job, { fun, arg, tgt = '', tgt_type: tgtType, user = '', minions }) {
  const known = Array.isArray(minions) ? { minions } : {};
  Object.assign(job, { fun: called(fun), args: listed(arg), tgt, tgtType, user, ...known });
}

export function returned(job, id, { fun, fun_args: args, user = '', return: ret, retcode, success }) {
  Object.assign(job, { fun: called(fun), args: listed(args), user });
  job.returns.set(id, { ret, retcode, success });
}

/** What the job cache says, in Salt's words; what was heard is not forgotten for it. */
function learn(job, { Function: fun, Arguments, Target: tgt, 'Target-type': tgtType, User: user, Minions, Result }) {
  if (fun !== undefined) Object.assign(job, { fun: called(fun), args: Arguments ?? [], tgt, tgtType, user });
  if (Minions !== undefined) job.minions = Minions;
  for (const [id, one] of Object.entries(Result ?? {})) {
    job.returns.set(id, { ret: one.return, retcode: one.retcode, success: one.success });
  }
}

function called(fun) {
  return [fun].flat().join(', ');
}

function listed(value) {
  return Array.isArray(value) ? value : [];
}

function progress({ minions, returns }) {
  if (minions !== undefined) return `${returns.size} of ${minions.length}`;
  return returns.size === 0 ? '–' : String(returns.size);
}

function row(job, isOpen, onOpen) {
  const { jid, fun, args, tgt, user } = job;
  const open = el(
    'button',
    { type: 'button', class: 'link', 'aria-pressed': String(isOpen), click: onOpen },
    time(msOfJid(jid), jid),
  );
  return el(
    'tr',
    { class: isOpen ? 'open' : undefined },
    el('td', {}, open),
    el('td', { class: 'long' }, el('code', {}, [fun, ...args.map((arg) => brief(arg))].join(' '))),
    el('td', { class: 'long' }, brief([tgt].flat().join(', '))),
    el('td', {}, user),
    el('td', {}, progress(job)),
  );
}

function factsOf(job) {
  const { jid, fun, args, tgt, tgtType, user } = job;
  const facts = [
    ['Job', el('code', {}, jid)],
    ['Started', time(msOfJid(jid), jid)],
    ...(args.length === 0 ? [] : [['Arguments', el('code', {}, args.map((arg) => brief(arg, 2000)).join(' '))]]),
    ['Target', `${brief([tgt].flat().join(', '), 2000)}${tgtType ? ` (${tgtType})` : ''}`],
    ['User', user],
    ['Returns', progress(job)],
  ];
  const list = facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)]);
  return [el('h2', {}, fun || jid), el('dl', {}, ...list)];
}

function answer(id, one) {
  return el(
    'section',
    { class: 'answer', 'aria-label': `Return of ${id}` },
    el('h3', {}, id, ' ', stateOf(one)),
    one === undefined ? undefined : output(one.ret ?? null, `Output of ${id}`),
  );
}

function stateOf(one) {
  if (one === undefined) return badge('waiting', 'no return yet');
  const hasFailed = one.success === false || (one.retcode ?? 0) !== 0;
  return hasFailed ? badge('bad', `failed, code ${one.retcode}`) : badge('good', 'returned', '✓');
}
