it('carries on a promise nothing of the files that ran before in the same worker', () => {
  const stores = Object.getOwnPropertySymbols(Promise.resolve()).filter(
    ({ description }) => description === 'kResourceStore',
  );
  expect(stores.length).toBeLessThanOrEqual(1);
});
