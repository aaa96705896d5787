import { tellingSilence } from './telling-silence.js';

it('tells once that what is waited for is silent, and hands on what comes of it', async () => {
  const told: string[] = [];
  const answer = await new Promise<string>((resolve) => {
    let there: (answer: string) => void = () => undefined;
    const waiting = tellingSilence(
      new Promise<string>((come) => (there = come)),
      () => {
        told.push('silent');
        there('there');
      },
      1,
    );
    void waiting.then(resolve);
  });
  expect([answer, told]).toEqual(['there', ['silent']]);
});

it('tells nothing of what comes at once, also of a failure', async () => {
  const told: string[] = [];
  const tell = (): void => void told.push('silent');
  expect(await tellingSilence(Promise.resolve('there'), tell, 0)).toBe('there');
  await expect(tellingSilence(Promise.reject(new Error('refused')), tell, 0)).rejects.toThrow('refused');
  await new Promise((next) => setTimeout(next, 1));
  expect(told).toEqual([]);
});
