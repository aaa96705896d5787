/**
 * The gateway's HTTP API as this page asks it: the user's own session, in memory, in a header. No cookie is taken or sent, so a page
 * of somebody else has nothing to ride on, and what is not asked for with this token is not seen.
 */

/** What the API refuses, with its sentence. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export class Api {
  #token;

  constructor(token) {
    this.#token = token;
  }

  /** @throws {Refused} */
  static async login(form) {
    const answer = await answered(fetch(at('login'), { ...ASK, method: 'POST', body: new URLSearchParams(form) }));
    const [session] = (await answer.json()).return;
    return { api: new Api(session.token), user: session.user, eauth: session.eauth };
  }

  /** @throws {Refused} */
  async get(path) {
    return (await this.open(path)).json();
  }

  /** @throws {Refused} */
  async post(path, form) {
    return (await this.open(path, { method: 'POST', body: form })).json();
  }

  /** What a runner or a wheel function answers. @throws {Refused} */
  async run(low) {
    const [value] = (await this.post('', new URLSearchParams(low))).return;
    return value;
  }

  /** The answer as it comes. @throws {Refused} */
  open(path, { headers = {}, ...more } = {}) {
    return answered(
      fetch(at(path), { ...ASK, ...more, headers: { ...ASK.headers, ...headers, 'X-Auth-Token': this.#token } }),
    );
  }
}

/** A map as it is. A runner that failed is answered with 200, too, and with its sentence in place of a map. @throws {Refused} */
export function mapIn(value) {
  if (isMap(value)) return value;
  const isSentence = typeof value === 'string' && value !== '';
  throw new Refused(200, isSentence ? value : 'The gateway answered with something that this page cannot read.');
}

export function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Questions whose answers may come in any order.
 *
 * @returns What begins one. It gives what tells, when the answer is there, whether no later one had its answer before.
 */
export function inOrder() {
  let asked = 0;
  let answered = 0;
  return () => {
    const turn = (asked += 1);
    return () => {
      answered = Math.max(answered, turn);
      return answered === turn;
    };
  };
}

const ASK = { credentials: 'omit', cache: 'no-store', headers: { Accept: 'application/json' } };

/** The page lies at `/ui`, the API around it. */
function at(path) {
  return new URL(path === '' ? './' : path, document.baseURI.split('#')[0]);
}

async function answered(asked) {
  let answer;
  try {
    answer = await asked;
  } catch (cause) {
    if (cause?.name === 'AbortError') throw cause;
    throw new Refused(0, 'The gateway does not answer. Is it running, and can this computer reach it?');
  }
  if (answer.ok) return answer;
  throw new Refused(answer.status, sentenceIn(await answer.text()) || `The gateway answered ${answer.status}.`);
}

/** An error is a short HTML page with its sentence in the one paragraph, or JSON. It is read as text. */
function sentenceIn(text) {
  const inPage = /<p>([^<]*)<\/p>/.exec(text)?.[1];
  if (inPage !== undefined) return inPage.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]);
  try {
    return String(JSON.parse(text).return ?? '');
  } catch {
    return '';
  }
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
