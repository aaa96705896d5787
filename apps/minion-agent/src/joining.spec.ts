/** Who is told to stop asks nothing any more: what a link would be asked for is not even looked at. */
import { joinCluster, type Joiner } from './joining.js';

it('an agent that ends while it waits to ask again does not ask again', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the agent ends'));
  await expect(joinCluster({ signal: stop.signal } as Joiner)).rejects.toThrow('the agent ends');
});
