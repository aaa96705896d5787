import { Shares } from './shares.js';

const never = () => new Promise<never>(() => undefined);

/** How many of so many that come at once get a place, which they keep. */
async function kept(shares: Shares, owner: string, count: number): Promise<number> {
  const told = Array.from({ length: count }, () =>
    Promise.race([shares.during(owner, never), Promise.resolve('kept')]),
  );
  return (await Promise.all(told)).filter((one) => one === 'kept').length;
}

it('who comes alone gets half, the next half of what is left, and the last one finds a place until there is none', async () => {
  const shares = new Shares(32);
  const found: number[] = [];
  for (const owner of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) found.push(await kept(shares, owner, 40));
  expect(found).toEqual([16, 8, 4, 2, 1, 1, 0]);
});

it('a place is given back when the work ends, whatever its end', async () => {
  const shares = new Shares(2);
  expect(await shares.during('a', () => shares.during('a', () => Promise.resolve('inner')))).toBeUndefined();
  await expect(shares.during('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await shares.during('a', () => Promise.resolve('done'))).toBe('done');
});

it('without a place nothing is done', async () => {
  const shares = new Shares(1);
  void shares.during('a', never);
  let isDone = false;
  await shares.during('b', () => Promise.resolve((isDone = true)));
  expect(isDone).toBe(false);
});
