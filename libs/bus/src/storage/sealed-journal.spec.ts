/** Rules of a journal of which something does not open: it is left out, told, and waited for by nobody. */
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import { journalContract } from '../ports/journal.contract.js';
import { MemoryJournal } from '../ports/memory-journal.js';
import { SealedJournal } from './sealed-journal.js';
import { StoredCorrupt } from './sealed-store.js';

const KNOWN: StorageKey = { id: 'known', key: new Uint8Array(32).fill(1) };
const LOST: StorageKey = { id: 'lost', key: new Uint8Array(32).fill(2) };
const SUBJECT = 'nt.main.events.a';

beforeAll(sodiumReady);

journalContract('sealed', () => {
  const keys = { newest: KNOWN, byId: (id: string) => (id === KNOWN.id ? KNOWN : undefined) };
  const onCorrupt = (error: StoredCorrupt) => {
    throw error;
  };
  const journal = new SealedJournal(new MemoryJournal(), keys, onCorrupt);
  return Promise.resolve({ journal, subject: (sender) => `nt.main.events.${sender}` });
});

/** What is read of messages that were sealed with these keys, and the alerts. */
async function read(...keys: readonly StorageKey[]) {
  const pages = new MemoryJournal();
  const sealed = (key: StorageKey) => {
    const byId = (id: string) => (id === key.id ? key : undefined);
    return new SealedJournal(pages, { newest: key, byId }, ({ revision }) => heard.push(`${String(revision)} is lost`));
  };
  const heard: string[] = [];
  for (const [last, key] of keys.entries()) await sealed(key).append(SUBJECT, new Uint8Array(1), last);
  const journal = sealed(KNOWN);
  journal.read({ everything: true }, ({ sequence }) => void heard.push(String(sequence)), () => heard.push('nothing')); // prettier-ignore
  await new Promise(setImmediate);
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

it('the last of another sender is not taken for this one’s, though it opens in its own place', async () => {
  const pages = new MemoryJournal();
  const journal = new SealedJournal(pages, { newest: KNOWN, byId: () => KNOWN }, () => undefined);
  await journal.append('nt.main.events.b', new Uint8Array(1), 0);
  const [others] = pages.messages;
  pages.lastOn = () => Promise.resolve(others);
  await expect(journal.lastOn(SUBJECT)).rejects.toMatchObject({ name: StoredCorrupt.name, revision: 1 });
});
