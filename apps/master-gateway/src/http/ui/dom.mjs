/** Elements and words. What a page shows is only ever text: nothing here, and nothing that uses it, makes HTML of a string. */

/**
 * An element with its attributes (a function is a listener, `true` an empty attribute, what is undefined or false is left out)
 * and its children (texts become text nodes).
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** A button that is at work: `disabled` would take the focus from who has just pressed it. Whoever hears it asks `isBusy` first. */
export function setBusy(button, busy) {
  if (busy) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}

export function isBusy(button) {
  return button.getAttribute('aria-disabled') === 'true';
}

/** Where there is one column, what was opened begins below the list; where it is seen already nothing moves. */
export function bringIntoView(element) {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) element.scrollIntoView({ block: 'start' });
}

/** Says something to whoever listens instead of looking. */
export function say(text) {
  byId('said').textContent = text;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DATE_AND_CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The reader's own time; of today only the clock. What is no time is shown as it is. */
export function time(ms, text = '') {
  if (!Number.isFinite(ms)) return el('span', {}, text);
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date().toDateString();
  const shown = (isToday ? CLOCK : DATE_AND_CLOCK).format(date);
  return el('time', { datetime: date.toISOString(), title: DATE_AND_CLOCK.format(date) }, shown);
}

/** A job id is its time in UTC: YYYYMMDDhhmmss and microseconds. */
export function msOfJid(jid) {
  const [, year, month, day, h, m, s, ms] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})/.exec(jid) ?? [];
  return Date.parse(`${year}-${month}-${day}T${h}:${m}:${s}.${ms}Z`);
}

/** `_stamp` of an event: UTC without its zone. */
export function msOfStamp(stamp) {
  return Date.parse(`${String(stamp).slice(0, 23)}Z`);
}

/** A text as it is, anything else as JSON over several lines. */
export function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** One line of it, cut. */
export function brief(value, most = 160) {
  const line = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Output of any length, in a box that scrolls and that a keyboard reaches. */
export function output(value, label) {
  return el('pre', { tabindex: 0, role: 'region', 'aria-label': label }, pretty(value));
}

/** A word with its sign: never the colour alone. */
export function badge(kind, text, sign = SIGNS[kind]) {
  return el('span', { class: `badge ${kind}` }, el('span', { 'aria-hidden': 'true' }, sign), ` ${text}`);
}

const SIGNS = { good: '●', bad: '✕', waiting: '○', warn: '▲' };

export function note(text, ...more) {
  return el('div', { class: 'note' }, el('p', {}, text), ...more);
}

export function many(count, one, several = `${one}s`) {
  return `${count} ${count === 1 ? one : several}`;
}

/**
 * Makes `parent` hold a child for each item, in their order. A child whose item says the same stays as it is, with its focus and
 * how far it was scrolled.
 *
 * @param says What the child shows, as a text; another text makes another child.
 */
export function keep(parent, items, { key, says, make }) {
  const wanted = new Set(items.map(key));
  // Before the others find their places: one that is moved loses its focus.
  for (const child of [...parent.children]) if (!wanted.has(child.dataset.key)) child.remove();
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const [name, said] = [key(item), says(item)];
    const child = sameOrNew(known.get(name), said, () => make(item));
    child.dataset.key = name;
    child.dataset.says = said;
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

function sameOrNew(child, said, make) {
  if (child?.dataset.says === said) return child;
  const fresh = make();
  const isHeld = child?.contains(document.activeElement) === true;
  child?.replaceWith(fresh);
  // What its user reads meanwhile, such as what this button has opened, stays where it is.
  if (isHeld) fresh.querySelector('button, pre')?.focus({ preventScroll: true });
  return fresh;
}

/** Does it in the next frame, once, however often it is asked to. */
export function oncePerFrame(what) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      what();
    });
  };
}

/** A table in a box that scrolls; its rows are the caller's. */
export function table(label, titles) {
  const body = el('tbody');
  const head = el('tr', {}, ...titles.map((title) => el('th', { scope: 'col' }, title)));
  const whole = el('table', { 'aria-label': label }, el('thead', {}, head), body);
  return { body, box: el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, whole) };
}
