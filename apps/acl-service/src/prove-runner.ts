/**
 * A running runner asks to publish: its role key signed the request, and the grant-run beside it says which runner runs, and
 * on whose behalf.
 *
 * Spec: spec/envelope.md#grants.
 */
import { digestOf, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { verify } from '@natrium/envelope';
import { GRANT_RUN, type GrantRun, type Proved, type SignedRequest } from '@natrium/flow';
import { type Refusal, refuse, type Result } from '@natrium/model';

export function proveRunner(link: RoleLink, ask: SignedRequest, grantRun: GrantRun): Result<Proved, Refusal> {
  const { roles } = link;
  const { signature, bytes } = ask;
  const signed =
    signature !== null && roles.keysOf('runner').some((key) => verify('request', roles.cluster, key, bytes, signature));
  if (!signed) return refuse('bad_signature', 'the request does not carry a signature of the runner role');
  const granted = checkGrantRun(link, grantRun);
  if (!granted.ok) return granted;
  // The request names its grant-run, so that nobody on the way can put another run's beside it.
  if (ask.request.options[GRANT_RUN] !== digestOf(grantRun.grant.bytes)) {
    return refuse('grant_digest', 'the request was made for another grant-run');
  }
  const run = readAsked(grantRun.request);
  const fun = run?.funs[0];
  // The wheel publishes nothing: its functions have no principal of their own.
  if (run?.what !== 'run' || fun === undefined) return refuse('bad_request', 'the runner’s own request is not one');
  const { caller, onBehalfOf } = granted.value;
  return { ok: true, value: { principal: { kind: 'runner', name: fun }, onBehalfOf: [caller, ...onBehalfOf] } };
}
