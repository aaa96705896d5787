/** Hands a granted run to a runner-service and waits for its answer; one that falls silent has left the outcome unknown. */
import type { AskFailure } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { Ran, SignedRequest } from '@natrium/flow';
import { err, type Jid, ok, type Refusal, refusal, type Result, type Signed } from '@natrium/model';
import { contracts } from '@natrium/wire';

/** A runner-service that works on something says so every second. */
const SILENT_MS = 3000;

export async function runOn(
  link: RoleLink,
  ask: SignedRequest,
  grant: Signed,
  jid: Jid,
  timeoutMs: number,
): Promise<Result<Ran, Refusal>> {
  const answer = await hear(link, ask, grant, jid, timeoutMs);
  if (answer.ok) return answer;
  return err(
    refusal('no_runner_available', `${ask.request.funs.join(',')} gave no answer: ${reason(answer.error, jid)}`),
  );
}

function reason(failure: AskFailure | 'silent', jid: Jid): string {
  if (failure === 'timeout') return `it is still running, jid ${jid}`;
  if (failure === 'silent') return `its runner-service is gone: interrupted, outcome unknown, jid ${jid}`;
  return `no runner-service is there (${failure})`;
}

function hear(
  link: RoleLink,
  ask: SignedRequest,
  grant: Signed,
  jid: Jid,
  timeoutMs: number,
): Promise<Result<Ran, AskFailure | 'silent'>> {
  return new Promise((resolve) => {
    const end = link.bus.converse(
      {
        contract: contracts.run,
        body: { request: ask.bytes, signature: ask.signature, callerKey: ask.callerKey, grant, jid },
        subject: link.subjects.svcRun('run'),
        to: () => link.directory.role('runner'),
      },
      contracts.ran,
      Math.min(SILENT_MS, timeoutMs),
      {
        onAnswer: (ran) => {
          if (ran.refusal === null && ran.outcome === null && ran.jid === '') return 'more';
          clearTimeout(timer);
          resolve(ok(ran));
          return 'done';
        },
        onFailure: (failure) => {
          clearTimeout(timer);
          resolve(err(failure === 'timeout' ? 'silent' : failure));
        },
      },
    );
    const timer = setTimeout(() => {
      end();
      resolve(err('timeout'));
    }, timeoutMs);
  });
}
