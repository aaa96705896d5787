/** Jobs, the newest first: those of the job cache, and those that the event bus tells of, with their returns as they come. */
import { inOrder, mapIn } from './api.mjs';
import { badge, brief, bringIntoView, el, isBusy, keep, msOfJid, note, oncePerFrame, output, say, setBusy, table, time } from './dom.mjs'; // prettier-ignore
import { begun, isTrimmed, learn, newJob, progress, returned } from './job.mjs';
import { whenStill } from './when-still.mjs';

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
  #turns = inOrder();
  #looks = inOrder();
  #rows = table('Jobs', ['Started', 'Function', 'Target', 'User', 'Returns']);
  #notes = el('div');
  #empty = el('p', { class: 'empty' });
  /** Who listens hears which one is open and what is wrong with it; its returns are said one by one as they come. */
  #title = el('div', { 'aria-live': 'polite' });
  #facts = el('div');
  #answers = el('div');
  #detail = el('div', { class: 'detail' }, this.#title, this.#facts, this.#answers);
  #refresh = el('button', { type: 'button', click: () => isBusy(this.#refresh) || this.#ask() }, 'Refresh');
  #bar = el('div', { class: 'bar' }, this.#refresh);
  #due = oncePerFrame(() => this.#render());
  #still = whenStill(() => void this.#lookUp());
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
    if (id !== undefined && job === this.#open) this.#heardOpen(job, id);
    this.#due();
  }

  /** To be sure: what came meanwhile may not have been heard. */
  reload() {
    for (const job of this.#jobs.values()) job.mayLack = true;
    this.#ask();
  }

  end() {
    this.#still.end();
  }

  #heardOpen(job, id) {
    say(`${id} returned: ${progress(job)}`);
    if (isTrimmed(job, id)) this.#still.heard();
  }

  #job(jid) {
    const known = this.#jobs.get(jid) ?? newJob(jid);
    this.#jobs.set(jid, known);
    // A page in the background draws nothing, and still hears.
    if (this.#jobs.size > 2 * MOST) this.#newest();
    return known;
  }

  /** In order; the others are forgotten, but not the one that somebody reads. */
  #newest() {
    const sorted = [...this.#jobs.values()].sort((a, b) => (a.jid < b.jid ? 1 : -1));
    const kept = sorted.filter((job, place) => place < MOST || job === this.#open);
    this.#jobs = new Map(kept.map((job) => [job.jid, job]));
    return kept;
  }

  #ask() {
    void this.#load();
    void this.#lookUp();
  }

  async #load() {
    const isLatest = this.#turns();
    setBusy(this.#refresh, true);
    let problem = [];
    try {
      const [list] = (await this.#api.get('jobs')).return;
      for (const [jid, told] of Object.entries(mapIn(list)).slice(-MOST)) learn(this.#job(jid), told);
    } catch (cause) {
      problem = [note(cause.message, el('p', {}, 'Your own jobs appear here as they run.'))];
    }
    if (isLatest()) this.#loaded(problem);
    this.#due();
  }

  #loaded(problem) {
    this.#notes.replaceChildren(...problem);
    setBusy(this.#refresh, false);
    this.#isLoaded = true;
  }

  #show(job) {
    this.#open = job;
    this.#problem = '';
    this.#render();
    bringIntoView(this.#detail);
    void this.#lookUp();
  }

  /** What the job cache has of the open one. */
  async #lookUp() {
    const job = this.#open;
    if (job === undefined) return;
    const isLatest = this.#looks();
    let problem = '';
    try {
      const told = mapIn((await this.#api.get(`jobs/${job.jid}`)).info[0]);
      learn(job, told);
      problem = told.Error ?? '';
    } catch (cause) {
      problem = cause.message;
    }
    if (isLatest() && job === this.#open) this.#problem = problem;
    this.#due();
  }

  #render() {
    const sorted = this.#newest();
    keep(this.#rows.body, sorted, {
      key: ({ jid }) => jid,
      says: (job) => `${job.version} ${progress(job)} ${job === this.#open}`,
      make: (job) => row(job, job === this.#open, () => this.#show(job)),
    });
    this.#rows.box.hidden = sorted.length === 0;
    // Where the list was refused, its sentence stands in place of an empty one.
    this.#empty.hidden = sorted.length > 0 || this.#notes.children.length > 0;
    this.#empty.textContent = this.#isLoaded ? 'No job yet. They appear here as they begin.' : 'Loading…';
    if (this.#open !== undefined) this.#renderOpen(this.#open);
  }

  #renderOpen(job) {
    const told = [['title', job.fun || job.jid], ...(this.#problem === '' ? [] : [['problem', this.#problem]])];
    keep(this.#title, told, {
      key: ([what]) => `${job.jid} ${what}`,
      says: ([, text]) => text,
      make: ([what, text]) => (what === 'title' ? el('h2', {}, text) : note(text)),
    });
    this.#facts.replaceChildren(factsOf(job));
    const ids = [...new Set([...(job.minions ?? []), ...job.returns.keys()])].sort();
    keep(this.#answers, ids, {
      key: (id) => `${job.jid} ${id}`,
      says: (id) => String(job.returns.get(id)?.version),
      make: (id) => answer(id, job.returns.get(id)),
    });
  }
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
  const { jid, args, tgt, tgtType, user } = job;
  const facts = [
    ['Job', el('code', {}, jid)],
    ['Started', time(msOfJid(jid), jid)],
    ...(args.length === 0 ? [] : [['Arguments', el('code', {}, args.map((arg) => brief(arg, 2000)).join(' '))]]),
    ['Target', `${brief([tgt].flat().join(', '), 2000)}${tgtType ? ` (${tgtType})` : ''}`],
    ['User', user],
    ['Returns', progress(job)],
  ];
  const list = facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)]);
  return el('dl', {}, ...list);
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
