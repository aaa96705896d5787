/** Rules of what a returner gets of a job. */
import { parseJid, type Request } from '@natrium/model';
import type { CheckedGrant } from '@natrium/flow';
import { returnFacts } from './own-returners.js';

const GRANT = { jid: parseJid('20261120141646000001'), caller: { kind: 'account', name: 'alice' } };
const OUTCOME = { ret: true, retcode: 0, success: true, out: null, notes: [] };

function factsOf(funs: readonly string[], args: Request['args']) {
  const request = { funs, args, tgt: '*', tgtType: 'glob' } as unknown as Request;
  return returnFacts('web1', request, GRANT as unknown as CheckedGrant, OUTCOME);
}

it('keywords are a map without a marker, of one function and of several', () => {
  const sent = ['x', { __kwarg__: true, k: 'v' }];
  expect(factsOf(['test.arg'], [sent]).fun_args).toEqual(['x', { k: 'v' }]);
  expect(factsOf(['test.arg', 'test.ping'], [sent, []]).fun_args).toEqual([['x', { k: 'v' }], []]);
});
