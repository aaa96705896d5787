/** The minions and their state: presence from the runner `manage.status`, keys from the wheel; grains on demand. */
import { inOrder, isMap, mapIn } from './api.mjs';
import { badge, bringIntoView, el, isBusy, keep, many, note, output, setBusy, table, time } from './dom.mjs';
import { whenStill } from './when-still.mjs';

const KEYS = { minions_pre: 'key waits', minions_rejected: 'key rejected', minions_denied: 'key denied' };
/** Something about who is there. */
const NEWS = /^(?:minion_start$|salt\/minion\/[^/]+\/start$|salt\/presence\/change$|salt\/(?:auth|key)(?:\/|$))/;

export class MinionsView {
  #api;
  /** id → { kind, text } */
  #states = new Map();
  #isLoaded = false;
  #turns = inOrder();
  #still = whenStill(() => void this.reload());
  #rows = table('Minions', ['Minion', 'State']);
  #notes = el('div');
  #counts = el('span', { role: 'status' });
  #asOf = el('span', { class: 'hint' });
  #empty = el('p', { class: 'empty' });
  #detail = el('div', { class: 'detail', 'aria-live': 'polite' });
  #refresh = el('button', { type: 'button', click: () => isBusy(this.#refresh) || void this.reload() }, 'Refresh');
  #askAll = el(
    'button',
    { type: 'button', click: () => isBusy(this.#askAll) || void this.#ask() },
    'Ask the minions themselves (grains.items)',
  );
  /** What came of that, where it was refused. */
  #asked = el('div', { role: 'status' });
  #filter = el('input', { id: 'minion-filter', type: 'search', autocomplete: 'off', spellcheck: 'false', input: () => this.#render() }); // prettier-ignore
  #bar = el('div', { class: 'bar' }, el('label', { for: 'minion-filter' }, 'Filter by id'), this.#filter, this.#refresh, this.#counts, this.#asOf); // prettier-ignore
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
    void this.reload();
  }

  event({ tag }) {
    if (NEWS.test(tag)) this.#still.heard();
  }

  end() {
    this.#still.end();
  }

  async reload() {
    const isLatest = this.#turns();
    setBusy(this.#refresh, true);
    this.#asked.replaceChildren();
    // Whoever looks at a page does not wait for hosts that stall.
    const kwarg = '{timeout: 1, gather_job_timeout: 0}';
    const presence = this.#api.run({ client: 'runner', fun: 'manage.status', kwarg }).then(mapIn);
    const groups = this.#api.get('keys').then((answer) => mapIn(answer.return));
    const [status, keys] = await Promise.allSettled([presence, groups]);
    if (!isLatest()) return;
    setBusy(this.#refresh, false);
    this.#states = statesOf(status.value, keys.value);
    this.#refused({ Presence: status.reason, Keys: keys.reason });
    this.#told();
  }

  /** A button among them keeps the focus while the same is refused again, as after news of a minion. */
  #refused(causes) {
    const refused = Object.entries(causes).filter(([, cause]) => cause !== undefined);
    keep(this.#notes, refused, {
      key: ([what]) => what,
      says: ([, { message }]) => message,
      make: ([what, { message }]) =>
        note(`${what}: ${message}`, ...(what === 'Presence' ? [this.#askAll, this.#asked] : [])),
    });
  }

  /** For who may not ask the runner: a job, which the gate decides like any other. */
  async #ask() {
    setBusy(this.#askAll, true);
    this.#asked.replaceChildren();
    try {
      const [grainsOf] = (await this.#api.get('minions')).return;
      for (const [id, found] of Object.entries(grainsOf)) this.#states.set(id, stateIn(found));
      this.#told();
    } catch (cause) {
      this.#asked.replaceChildren(el('p', {}, cause.message));
    } finally {
      setBusy(this.#askAll, false);
    }
  }

  #told() {
    const states = [...this.#states.values()];
    const up = states.filter(({ kind }) => kind === 'good').length;
    // Keys alone do not tell who is there.
    const isKnown = states.some(({ kind }) => kind !== 'warn');
    this.#isLoaded = true;
    this.#counts.textContent = isKnown ? `${up} of ${many(states.length, 'minion')} up` : '';
    this.#asOf.replaceChildren('as of ', time(Date.now()));
    this.#render();
  }

  #render() {
    const wanted = this.#filter.value.trim();
    const shown = [...this.#states].filter(([id]) => id.includes(wanted)).sort(([a], [b]) => (a < b ? -1 : 1));
    keep(this.#rows.body, shown, {
      key: ([id]) => id,
      says: ([, { text }]) => text,
      make: ([id, state]) => this.#row(id, state),
    });
    this.#rows.box.hidden = shown.length === 0;
    // Where something was refused, its sentence stands in place of an empty list.
    this.#empty.hidden = shown.length > 0 || (this.#states.size === 0 && this.#notes.children.length > 0);
    if (this.#states.size > 0) this.#empty.textContent = 'No id holds this text.';
    else this.#empty.textContent = this.#isLoaded ? 'There is no minion yet.' : 'Loading…';
  }

  #row(id, { kind, text }) {
    const open = el('button', { type: 'button', class: 'link', click: () => void this.#showGrains(id) }, id);
    return el('tr', {}, el('td', {}, open), el('td', {}, badge(kind, text)));
  }

  async #showGrains(id) {
    const title = el('h2', {}, id);
    this.#detail.replaceChildren(title, el('p', { class: 'hint' }, 'Asking for its grains…'));
    bringIntoView(this.#detail);
    const shown = await this.#grainsOf(id);
    if (this.#detail.contains(title)) this.#detail.replaceChildren(title, shown);
  }

  async #grainsOf(id) {
    try {
      const [{ [id]: grains }] = (await this.#api.get(`minions/${encodeURIComponent(id)}`)).return;
      return isMap(grains) ? output(grains, `Grains of ${id}`) : note(String(grains || 'It does not answer.'));
    } catch (cause) {
      return note(cause.message);
    }
  }
}

/** Who is there, and whose keys are not accepted. One more key under the id of an accepted minion does not hide that it is up. */
export function statesOf(status, keys) {
  const states = new Map(presenceOf(status));
  for (const [id, text] of keysOf(keys)) {
    const known = states.get(id);
    states.set(id, known === undefined ? { kind: 'warn', text } : { ...known, text: `${known.text}, another ${text}` });
  }
  return states;
}

function presenceOf({ up = [], down = [] } = {}) {
  const state = (kind, text) => (id) => [id, { kind, text }];
  return [...up.map(state('good', 'up')), ...down.map(state('waiting', 'down'))];
}

function keysOf(groups = {}) {
  const inGroup = ([group, text]) => (groups[group] ?? []).map((id) => [id, text]);
  return Object.entries(KEYS).flatMap(inGroup);
}

/** What one said to `grains.items`: nothing, a sentence, or its grains. */
function stateIn(found) {
  if (isMap(found)) return { kind: 'good', text: 'up' };
  return { kind: 'waiting', text: found === false ? 'no answer' : String(found) };
}
