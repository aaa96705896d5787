/** The broker, the store and the journal in memory keep what the real ones keep. */
import { journalContract } from './journal.contract.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryStore } from './memory-store.js';
import { MemoryBroker } from './memory-transport.js';
import { storeContract } from './store.contract.js';
import { transportContract } from './transport.contract.js';

const broker = new MemoryBroker();

transportContract('in memory', () => ({ connect: () => Promise.resolve(broker.connect()) }));

storeContract('in memory', () => {
  const store = new MemoryStore('test');
  return Promise.resolve([store, store]);
});

journalContract('in memory', () =>
  Promise.resolve({ journal: new MemoryJournal(), subject: (sender) => `j.${sender}` }),
);
