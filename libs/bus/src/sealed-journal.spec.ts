/** Rules of a journal of which something does not open: it is left out, told, and waited for by nobody. */
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import type { Journal, JournalMessage } from './journal.js';
import { SealedJournal } from './sealed-journal.js';
import { StoredCorrupt } from './sealed-store.js';

const KNOWN: StorageKey = { id: 'known', key: new Uint8Array(32).fill(1) };
const LOST: StorageKey = { id: 'lost', key: new Uint8Array(32).fill(2) };
const SUBJECT = 'nt.main.events.a';

beforeAll(sodiumReady);

/** Hands on what it holds at once. */
class Pages implements Journal {
  readonly name = 'pages';
  readonly messages: JournalMessage[] = [];

  append(subject: string, value: Uint8Array): Promise<number> {
    return Promise.resolve(this.messages.push({ sequence: this.messages.length + 1, subject, value, behind: 0 }));
  }

  lastOn(): Promise<JournalMessage | undefined> {
    return Promise.resolve(this.messages.at(-1));
  }

  bounds() {
    return Promise.resolve({ first: 1, last: this.messages.length });
  }

  read(_: unknown, onMessage: (message: JournalMessage) => Promise<void> | void, onNothing?: () => void) {
    if (this.messages.length === 0) onNothing?.();
    for (const message of this.messages)
      void onMessage({ ...message, behind: this.messages.length - message.sequence });
    return { close: () => undefined };
  }
}

/** What is read of messages that were sealed with these keys, and the alerts. */
async function read(...keys: readonly StorageKey[]) {
  const pages = new Pages();
  const sealed = (key: StorageKey) => {
    const byId = (id: string) => (id === key.id ? key : undefined);
    return new SealedJournal(pages, { newest: key, byId }, ({ revision }) => heard.push(`${String(revision)} is lost`));
  };
  const heard: string[] = [];
  for (const key of keys) await sealed(key).append(SUBJECT, new Uint8Array(1), 0);
  const journal = sealed(KNOWN);
  journal.read({ everything: true }, ({ sequence }) => void heard.push(String(sequence)), () => heard.push('nothing')); // prettier-ignore
  return { journal, heard };
}

it('what does not open is left out and told, and what follows it is read', async () => {
  expect((await read(KNOWN, LOST, KNOWN)).heard).toEqual(['1', '2 is lost', '3']);
});

it('whoever waits for all that there is hears, once, that nothing follows what does not open', async () => {
  expect((await read(KNOWN, LOST)).heard).toEqual(['1', '2 is lost', 'nothing']);
  expect((await read()).heard).toEqual(['nothing']);
});

it('the last of a sender, where it does not open, is not taken for none: whoever asks hears where it stands', async () => {
  const { journal, heard } = await read(KNOWN, LOST);
  heard.length = 0;
  await expect(journal.lastOn(SUBJECT)).rejects.toMatchObject({ name: StoredCorrupt.name, revision: 2 });
  expect(heard).toEqual(['2 is lost']);
  expect(await (await read(LOST, KNOWN)).journal.lastOn(SUBJECT)).toMatchObject({ sequence: 2 });
});
