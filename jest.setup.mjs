/**
 * Runs before each file of tests: what the file before left switched on is switched off.
 *
 * Until Node 24 each AsyncLocalStorage that was ever entered puts a property on every new promise. jest-circus makes one for each file and
 * leaves it on: in a worker that has run sixty files a promise costs thirty times as much.
 */
import { createRequire } from 'node:module';

// Imported here, the files would be given the class that is in the module now, not the one put in its place below.
const hooks = createRequire(import.meta.url)('node:async_hooks');

/** It has storages of another kind, and nobody can put a class in the place of theirs. */
const FIRST_WITHOUT = 24;

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < FIRST_WITHOUT) {
  // Node's own class, or the one that stands in its place since the file before.
  const { made = [], Plain = hooks.AsyncLocalStorage } = hooks.AsyncLocalStorage;
  for (const storage of made) storage.disable();

  class AsyncLocalStorage extends Plain {
    static made = [];
    static Plain = Plain;

    constructor(...options) {
      super(...options);
      AsyncLocalStorage.made.push(this);
    }
  }
  // On Node 22 it is a getter, which takes no assignment.
  Object.defineProperty(hooks, 'AsyncLocalStorage', { value: AsyncLocalStorage, enumerable: true, configurable: true });
}
