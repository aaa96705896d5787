/** Rules of a service's connection to the broker. */
import { endWhenLost } from './broker-login.js';

it('a service whose connection is lost for good says why and ends with 1, for its supervisor to start it again', async () => {
  const said: unknown[] = [];
  const log = { error: (sentence: unknown) => said.push(sentence) };
  const status = await new Promise((end) => {
    endWhenLost({ lost: Promise.resolve('Authorization Violation') }, log, end);
  });
  expect(status).toBe(1);
  expect(said).toEqual(['the broker is lost for good: Authorization Violation']);
});
