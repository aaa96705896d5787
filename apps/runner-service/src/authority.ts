/** Hands `key.*` of the wheel to the acl-service, which proves the caller by itself: the request travels as it was signed. */
import { askAgain, BACK_MS } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { refusedRun } from '@natrium/flow';
import { refusal } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

const ANSWER_MS = 5000;

/** The same bytes are carried out once by all acl-services: where one stands still, another is asked. */
export async function handOn(link: RoleLink, body: Body<typeof contracts.run>): Promise<Body<typeof contracts.ran>> {
  const { request, signature, callerKey, grant, jid } = body;
  const question = {
    contract: contracts.wheel,
    body: { request, signature, callerKey, grant, jid },
    subject: link.subjects.svcAcl('wheel'),
    to: () => link.directory.role('acl'),
    backMs: BACK_MS,
  };
  const how = { timeoutMs: ANSWER_MS, codeOf };
  const answer = await askAgain(link.bus, question, contracts.ran, how);
  if (answer.ok && codeOf(answer.value) !== 'already_ran') return answer.value;
  const why = answer.ok ? 'one has begun it, and says no more' : `no acl-service answered (${answer.error})`;
  return refusedRun(jid, refusal('acl_unavailable', `${why}; look whether it was done`));
}

function codeOf({ refusal: refused }: Body<typeof contracts.ran>): string | undefined {
  return refused?.code;
}
