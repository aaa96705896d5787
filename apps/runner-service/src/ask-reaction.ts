/** What a reaction asks the gateway for, with the key of the runner's role: the gate decides on it as on any other caller's. */
import { type JobAsk, MasterClient } from '@natrium/client';
import type { RoleLink } from '@natrium/edge';
import { CAUSE, REACTION, type ReactionCall } from '@natrium/flow';
import { ok, type Refusal, refuse, type Result } from '@natrium/model';

/** @returns The jid under which it runs. */
export async function askReaction(link: RoleLink, call: ReactionCall): Promise<Result<string, Refusal>> {
  const { reaction, cause, tgt, args } = call;
  const { what, fun, tgtType, timeout } = reaction;
  const client = new MasterClient({
    bus: link.bus,
    signing: link.own.signing,
    subjects: { publish: link.subjects.svcGw('publish'), runner: link.subjects.svcGw('runner'), admin: '', auth: '' },
    grantRun: null,
    claims: { [REACTION]: cause.reaction, [CAUSE]: { ...cause } },
    backMs: 0, // asked again from outside, for longer
  });
  if (what === 'job') {
    const job: JobAsk = {
      tgt, tgtType, funs: [fun], args: [args], timeout, returner: '', returnerOptions: {}, options: {},
    }; // prettier-ignore
    const started = await client.publishAsync(job);
    if (!started.ok) return started;
    // Authorised, and nobody is meant: there is no job of that name.
    return started.value.minions.length === 0 ? refuse('invalid_target', nobodyIn(tgt)) : ok(started.value.jid);
  }
  const run = { fun, args, timeout };
  const ran = await (what === 'run' ? client.run(run, 'jid') : client.wheel(run, 'jid'));
  return ran.ok ? ok(ran.value.jid) : ran;
}

function nobodyIn(tgt: JobAsk['tgt']): string {
  return `no minion matches ${typeof tgt === 'string' ? tgt : tgt.join(',')}: nothing was run`;
}
