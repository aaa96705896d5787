import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

it('carries on a promise nothing of the files that ran before in the same worker', () => {
  const stores = Object.getOwnPropertySymbols(Promise.resolve()).filter(
    ({ description }) => description === 'kResourceStore',
  );
  expect(stores.length).toBeLessThanOrEqual(1);
});

it('knows what a file makes by whichever way it asks for the class', () => {
  const byRequire = require('node:async_hooks') as { AsyncLocalStorage: unknown };
  expect(AsyncLocalStorage).toBe(byRequire.AsyncLocalStorage);
});
