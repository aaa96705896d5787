/** Live events, the newest first. The list is bounded, and what is heard while it stands still is counted. */
import { brief, el, many, msOfStamp, oncePerFrame, output, time } from './dom.mjs';

const MOST = 500;

export class EventsView {
  /** Newest last. */
  #heard = [];
  #isPaused = false;
  #waiting = 0;
  #list = el('ol', { class: 'events', reversed: true });
  #empty = el('p', { class: 'empty' });
  #count = el('span', { class: 'hint' });
  #filter = el('input', { id: 'tag-filter', type: 'search', placeholder: 'salt/job/*', autocomplete: 'off', spellcheck: 'false', input: () => this.#renderAll() }); // prettier-ignore
  #pause = el('button', { type: 'button', 'aria-pressed': 'false', click: () => this.#toggle() }, 'Pause');
  #clear = el('button', { type: 'button', click: () => this.#forget() }, 'Clear');
  #bar = el('div', { class: 'bar' }, el('label', { for: 'tag-filter' }, 'Filter by tag'), this.#filter, this.#pause, this.#clear, this.#count); // prettier-ignore
  #due = oncePerFrame(() => this.#renderNew());
  root = el('div', {}, this.#bar, this.#empty, this.#list);

  constructor() {
    this.#renderAll();
  }

  event({ tag, data }) {
    this.#heard.push({ tag, data, isDrawn: false });
    if (this.#heard.length > MOST) this.#heard = this.#heard.slice(-MOST);
    if (this.#isPaused) this.#waiting += 1;
    this.#due();
  }

  #toggle() {
    this.#isPaused = !this.#isPaused;
    this.#waiting = 0;
    this.#pause.setAttribute('aria-pressed', String(this.#isPaused));
    this.#renderAll();
  }

  #forget() {
    this.#heard = [];
    this.#waiting = 0;
    this.#renderAll();
  }

  #renderAll() {
    const fits = matcher(this.#filter.value);
    // While it stands still, another filter shows no more of what is heard meanwhile.
    const still = this.#heard.slice(0, Math.max(0, this.#heard.length - this.#waiting));
    const shown = still.filter(({ tag }) => fits(tag));
    this.#list.replaceChildren(...shown.map(row).reverse());
    this.#tell();
  }

  #renderNew() {
    if (!this.#isPaused) {
      const fits = matcher(this.#filter.value);
      const fresh = this.#heard.filter(({ tag, isDrawn }) => !isDrawn && fits(tag));
      this.#list.prepend(...fresh.map(row).reverse());
      while (this.#list.children.length > MOST) this.#list.lastElementChild.remove();
    }
    this.#tell();
  }

  #tell() {
    const shown = this.#list.children.length;
    this.#count.textContent = `${many(shown, 'event')}${this.#isPaused ? `, ${this.#waiting} more while paused` : ''}`;
    this.#empty.hidden = shown > 0;
    this.#empty.textContent =
      this.#heard.length === 0 ? 'No event yet. They appear here as they come.' : 'No event matches the filter.';
  }
}

function row(event) {
  event.isDrawn = true;
  const { tag, data } = event;
  const line = el(
    'summary',
    {},
    time(msOfStamp(data._stamp)),
    el('code', { class: 'tag' }, tag),
    el('span', { class: 'brief' }, brief({ ...data, _stamp: undefined })),
  );
  // The data is made when it is opened: most never are.
  const fill = () => {
    if (details.open && details.children.length === 1) details.append(output(data, `Data of ${tag}`));
  };
  const details = el('details', { toggle: fill }, line);
  return el('li', {}, details);
}

/** With `*` or `?` a glob of the whole tag, without them a part of it. */
function matcher(text) {
  const wanted = text.trim();
  if (wanted === '') return () => true;
  if (!/[*?]/.test(wanted)) return (tag) => tag.includes(wanted);
  const source = wanted
    .replace(/[\\^$.+()|[\]{}]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  const pattern = new RegExp(`^${source}$`, 's');
  return (tag) => pattern.test(tag);
}
