/** Rules of what a runner reads: of several gateways one that stands still is not waited for, and no answer is asked for twice. */
import type { RoleLink } from '@natrium/edge';
import { sodiumReady } from '@natrium/envelope';
import { err, ok } from '@natrium/model';
import { masterPort } from './master-port.js';

beforeAll(sodiumReady);

/** What comes of each question, one after the other; of those beyond them, an answer. */
function aPort(...failures: readonly ('timeout' | 'no_responders' | 'turned_away')[]) {
  const asked: unknown[] = [];
  const ask = ({ body }: { readonly body: { readonly what: string } }) => {
    const failure = failures[asked.length];
    asked.push(body.what);
    return Promise.resolve(failure === undefined ? ok({ body: { refusal: null, result: ['web1'] } }) : err(failure));
  };
  const link = {
    bus: { ask },
    subjects: { svcGw: () => 'gw', svcAcl: () => 'acl' },
    directory: { role: () => [] },
    own: { signing: undefined },
  };
  const grantRun = { request: Uint8Array.of(1), grant: { bytes: Uint8Array.of(2), signature: Uint8Array.of(3) } };
  return { port: masterPort(link as unknown as RoleLink, grantRun), asked };
}

it.each([0, 1, 2])('is asked for again when nobody has answered in time (%i times)', async (times) => {
  const { port, asked } = aPort(...Array.from({ length: times }, () => 'timeout' as const));
  expect(await port.connected()).toEqual(['web1']);
  expect(asked).toHaveLength(times + 1);
});

it('is given up after three times', async () => {
  const { port, asked } = aPort('timeout', 'timeout', 'timeout');
  await expect(port.connected()).rejects.toThrow('no gateway service answered (timeout)');
  expect(asked).toHaveLength(3);
});

it.each(['no_responders', 'turned_away'] as const)('is not asked for again on %s', async (failure) => {
  const { port, asked } = aPort(failure);
  await expect(port.connected()).rejects.toThrow(failure);
  expect(asked).toHaveLength(1);
});
