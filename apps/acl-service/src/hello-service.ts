/** Answers hello, the one unsealed exchange: the roles documents, the live services, the time signed over the nonce. */
import type { Listening } from '@natrium/bus';
import { decode, encode, signTime, type SigningKey, type Wire } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import { contracts, isInbox, readAs, writeAs } from '@natrium/wire';

const MAX_SERVICES = 1024;

export function answerHello(link: RoleLink, acl: SigningKey): Listening {
  return link.transport.subscribe(
    link.subjects.hello,
    ({ payload, reply }) => {
      if (!isInbox(reply) || payload.length > 256) return;
      const nonce = nonceIn(payload);
      if (nonce === undefined) return;
      const [firstRoot, chain] = link.roles.chain;
      const answer = writeAs(contracts.helloAnswer, {
        version: 1,
        firstRoot,
        chain: [...chain],
        services: link.directory
          .services()
          .flatMap(({ announced }) => announced ?? [])
          .slice(0, MAX_SERVICES),
        time: signTime(acl, link.roles.cluster, nonce, link.clock.now()),
      });
      link.transport.publish(reply, encode(answer as Wire));
    },
    'acl',
  );
}

function nonceIn(payload: Uint8Array): Uint8Array | undefined {
  try {
    return readAs(contracts.helloQuestion, decode(payload)).nonce;
  } catch {
    return undefined;
  }
}
