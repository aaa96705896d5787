/** A request as the flows' tests ask it: a test names only what matters to it. */
import type { Request } from '@natrium/model';

export const NOW = 1_795_000_000_000;

export function aRequest(fields: Partial<Request> = {}): Request {
  return {
    id: new Uint8Array(16),
    what: 'job',
    funs: ['test.ping'],
    args: (fields.funs ?? ['test.ping']).map(() => []),
    tgt: '*',
    tgtType: 'glob',
    returner: '',
    returnerOptions: {},
    timeout: 5,
    options: {},
    issued: NOW,
    lifetime: 65_000,
    ...fields,
  };
}
