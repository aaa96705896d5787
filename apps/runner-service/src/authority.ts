/** Hands `key.*` of the wheel to the acl-service, which proves the caller by itself: the request travels as it was signed. */
import { BACK_MS } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { refusedRun } from '@natrium/flow';
import { refusal } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

const ANSWER_MS = 5000;

export async function handOn(link: RoleLink, body: Body<typeof contracts.run>): Promise<Body<typeof contracts.ran>> {
  const { request, signature, callerKey, grant, jid } = body;
  const answer = await link.bus.ask(
    {
      contract: contracts.wheel,
      body: { request, signature, callerKey, grant, jid },
      subject: link.subjects.svcAcl('wheel'),
      to: () => link.directory.role('acl'),
      backMs: BACK_MS,
    },
    contracts.ran,
    ANSWER_MS,
  );
  if (answer.ok) return answer.value.body;
  return refusedRun(
    jid,
    refusal('acl_unavailable', `no acl-service answered (${answer.error}); look whether it was done`),
  );
}
