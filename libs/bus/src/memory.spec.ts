/** The broker and the store in memory keep what the real ones keep. */
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
