/** The page: who is logged in, which view is open, which theme. Everything that a user sees is made at the login and gone after it. */
import { Api } from './api.mjs';
import { CanIView } from './can-i.mjs';
import { badge, byId, el, keep, say } from './dom.mjs';
import { EventsView } from './events.mjs';
import { JobsView } from './jobs.mjs';
import { MinionsView } from './minions.mjs';
import { follow } from './stream.mjs';
import { whenStill } from './when-still.mjs';

const VIEWS = [
  { name: 'minions', title: 'Minions', View: MinionsView },
  { name: 'jobs', title: 'Jobs', View: JobsView },
  { name: 'events', title: 'Events', View: EventsView },
  { name: 'can-i', title: 'Can I?', View: CanIView },
];
const STATES = {
  live: 'Live',
  connecting: 'Connecting…',
  broken: 'Connection lost, trying again…',
  silent: 'Nothing heard for 40 s, connecting again…',
};
/** Events are missing in its place. */
const GAP = /^natrium\/gap(?:\/|$)/;

/** A setting of this browser, where it keeps any. */
const kept = {
  get: (key) => tryOr(undefined, () => localStorage.getItem(`natrium.${key}`)),
  set: (key, value) => tryOr(undefined, () => localStorage.setItem(`natrium.${key}`, value)),
};
let endSession = () => undefined;

function tryOr(otherwise, what) {
  try {
    return what();
  } catch {
    return otherwise;
  }
}

function begin({ api, user, eauth }) {
  const views = VIEWS.map(({ name, title, View }) => ({ name, title, view: new View({ api, user }) }));
  byId('login').hidden = true;
  byId('who').textContent = `${user} (${eauth})`;
  byId('logout').hidden = false;
  byId('nav').replaceChildren(...VIEWS.map(({ name, title }) => el('a', { href: `#${name}` }, title)));
  byId('nav').hidden = false;
  byId('views').replaceChildren(...views.map(({ name, title, view }) => section(name, title, view.root)));
  const show = () => open(views);
  addEventListener('hashchange', show);
  const reload = () => views.forEach(({ view }) => void view.reload?.());
  const gap = whenStill(reload);
  const unfollow = follow(api, {
    event: (event) => {
      views.forEach(({ view }) => view.event?.(event));
      if (GAP.test(event.tag)) gap.heard();
    },
    state: (state) => {
      showState(state);
      // The first time, too: nobody heard what came between the views' own first look and this.
      if (state === 'live') reload();
    },
    ended: () => end('Your session has ended. Log in again.'),
  });
  endSession = () => {
    removeEventListener('hashchange', show);
    unfollow();
    gap.end();
    for (const { view } of views) view.end?.();
    endSession = () => undefined;
    return api;
  };
  show();
  say(`Logged in as ${user}`);
}

/** Who listens is told of each state once, however often a connection is tried. */
function showState(state) {
  const make = () => badge(state === 'live' ? 'good' : 'warn', STATES[state]);
  keep(byId('stream'), [state], { key: String, says: String, make });
}

function section(name, title, root) {
  const heading = el('h1', { id: `${name}-title`, tabindex: -1 }, title);
  return el('section', { id: `view-${name}`, 'aria-labelledby': heading.id, hidden: true }, heading, root);
}

function open(views) {
  const wanted = views.find(({ name }) => location.hash === `#${name}`) ?? views[0];
  for (const one of views) byId(`view-${one.name}`).hidden = one !== wanted;
  for (const link of byId('nav').children) {
    if (link.hash === `#${wanted.name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${wanted.title} · Natrium`;
  byId(`${wanted.name}-title`).focus();
}

/** Nothing of what the user saw stays. */
function end(why) {
  endSession();
  byId('views').replaceChildren();
  byId('nav').replaceChildren();
  byId('nav').hidden = true;
  byId('who').textContent = '';
  byId('stream').replaceChildren();
  byId('logout').hidden = true;
  byId('login').hidden = false;
  byId('login-problem').textContent = why;
  document.title = 'Log in · Natrium';
  byId('username').focus();
}

async function login(event) {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector('button');
  const fields = new FormData(form);
  byId('login-problem').textContent = '';
  button.disabled = true;
  button.textContent = 'Logging in…';
  try {
    const session = await Api.login(fields);
    kept.set('eauth', String(fields.get('eauth')));
    form.reset();
    byId('eauth').value = String(fields.get('eauth'));
    begin(session);
  } catch (cause) {
    byId('login-problem').textContent =
      cause.status === 401
        ? 'The login was refused. Check the user name, the password and the back end.'
        : cause.message;
    byId('password').value = '';
    byId('password').focus();
  } finally {
    button.disabled = false;
    button.textContent = 'Log in';
  }
}

async function logout() {
  const api = endSession();
  end('');
  say('Logged out');
  // Where the gateway does not answer, the session ends by itself.
  await api?.open('logout', { method: 'POST' }).catch(() => undefined);
}

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme').setAttribute('aria-pressed', String(theme === 'dark'));
}

function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => kept.get('theme') ?? (system.matches ? 'dark' : 'light');
  useTheme(chosen());
  system.addEventListener('change', () => useTheme(chosen()));
  byId('theme').addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    kept.set('theme', theme);
    useTheme(theme);
  });
}

startTheme();
byId('eauth').value = kept.get('eauth') ?? 'pam';
byId('login-form').addEventListener('submit', (event) => void login(event));
byId('logout').addEventListener('click', () => void logout());
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('main').focus();
});
end('');
