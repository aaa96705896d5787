/** "Can I?": the gate's own verdict of a function on a target, for the user who asks. Nothing is sent. */
import { badge, el, isBusy, many, note, setBusy } from './dom.mjs';

const TYPES = ['glob', 'list', 'compound', 'grain', 'grain_pcre', 'pcre', 'pillar', 'pillar_exact', 'pillar_pcre', 'nodegroup', 'ipcidr']; // prettier-ignore
const PLAIN = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
const HINT = 'The gate decides as it would for the real call. Nothing is run, and nothing is sent to a minion.';

export class CanIView {
  #api;
  #user;
  #verdict = el('div', { role: 'status', class: 'verdict' });
  #button = el('button', { type: 'submit', class: 'primary' }, 'Ask');
  #form = el(
    'form',
    { class: 'card', submit: (event) => void this.#ask(event) },
    ...field('fun', 'Function', el('input', { required: true, placeholder: 'test.ping', ...PLAIN })),
    ...field('tgt', 'Target', el('input', { required: true, placeholder: '*', ...PLAIN })),
    ...field('tgt_type', 'Target type', el('select', {}, ...TYPES.map((type) => el('option', {}, type)))),
    ...field('arg', 'Arguments', el('textarea', { rows: 3, 'aria-describedby': 'arg-hint', ...PLAIN })),
    el('p', { id: 'arg-hint', class: 'hint' }, 'One in each line, read as YAML; name=value is a keyword.'),
    this.#button,
  );
  root = el('div', {}, el('p', { class: 'hint' }, HINT), el('div', { class: 'sides' }, this.#form, this.#verdict));

  constructor({ api, user }) {
    this.#api = api;
    this.#user = user;
  }

  async #ask(event) {
    event.preventDefault();
    if (isBusy(this.#button)) return;
    const { arg, ...asked } = Object.fromEntries(new FormData(this.#form));
    const body = new URLSearchParams(asked);
    for (const line of arg.split('\n')) if (line.trim() !== '') body.append('arg', line.trim());
    setBusy(this.#button, true);
    this.#verdict.replaceChildren(el('p', { class: 'hint' }, 'Asking the gate…'));
    const question = `${this.#user}: ${asked.fun} on ${asked.tgt}`;
    try {
      this.#verdict.replaceChildren(...shown(await this.#api.post('ui/can-i', body), question));
    } catch (cause) {
      this.#verdict.replaceChildren(note(cause.message));
    } finally {
      setBusy(this.#button, false);
    }
  }
}

function field(name, label, control) {
  control.id = `can-${name}`;
  control.name = name;
  return [el('label', { for: control.id }, label), control];
}

function shown({ allowed, rule, minions, missing, sentence }, question) {
  const asked = el('p', { class: 'question' }, question);
  if (!allowed) return [el('h2', {}, badge('bad', 'Not allowed')), asked, el('p', {}, sentence)];
  const facts = [
    ['Rule', el('code', {}, rule)],
    ['Minions', minions.length === 0 ? 'None: no minion matches this target' : ids(minions)],
    ...(missing.length === 0 ? [] : [['Not there', ids(missing)]]),
  ];
  return [
    el('h2', {}, badge('good', `Allowed, on ${many(minions.length, 'minion')}`, '✓')),
    asked,
    el('dl', {}, ...facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])),
  ];
}

function ids(list) {
  return el('ul', { class: 'ids' }, ...list.map((id) => el('li', {}, id)));
}
