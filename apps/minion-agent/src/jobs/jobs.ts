/** Jobs come in: the grant's checks are libs/flow's, their ports are here. */
import { digestOf, type Opened, readAsked } from '@natrium/bus';
import type { Link } from '@natrium/client';
import {
  decode,
  encodedSize,
  type Grant,
  inTime,
  leafOf,
  readGrant,
  toHex,
  verifyGrant,
  verifyProof,
  type Wire,
} from '@natrium/envelope';
import { type CheckedGrant, type GrantRefusal, JobRun, type JobOrder, sendable } from '@natrium/flow';
import {
  err,
  MAX_BRIEF_VALUES,
  MAX_RETURNED_VALUES,
  ok,
  parseJid,
  type Request,
  type Result,
  type Signed,
} from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import type { Returners } from '@natrium/modules';
import type { Execution } from '../execution/execution.js';
import type { Finishing } from './finishing.js';
import type { HostData } from '../host/host-data.js';
import type { Outbox } from './outbox.js';
import { returnerOptions, returnFacts } from '../execution/own-returners.js';
import type { RunRecord } from '../disk/run-record.js';
import type { Standing } from '../identity/standing.js';
import type { Spool } from '../disk/spool.js';

/** What one answer holds (`here`). */
const MAX_RUNNING = 256;
/**
 * For so long a return that no gateway has stored counts as work on its job, so that who waits for it does not hear that nothing
 * comes. One that nobody takes holds no job for longer.
 */
const RETURNING_MS = 60_000;

export interface JobParts {
  readonly id: string;
  readonly link: Link;
  readonly record: Pick<RunRecord, 'admit' | 'start' | 'ran'>;
  readonly spool: Pick<Spool, 'get' | 'cameWithin'>;
  readonly outbox: Pick<Outbox, 'deliver'>;
  readonly execution: Pick<Execution, 'running' | 'run'>;
  readonly data: Pick<HostData, 'grains' | 'pillar'>;
  readonly returners: Pick<Returners, 'hand'>;
  readonly finishing: Pick<Finishing, 'isStopping' | 'during'>;
  readonly standing: Pick<Standing, 'accepted' | 'check'>;
  /** How grants are read where many minions are in one process. */
  readonly verifyGrant?: typeof verifyGrant;
}

/** Listens for this minion's jobs and for questions that run nothing, on its own subject only. */
export function listenForJobs(parts: JobParts): void {
  const { link, standing, finishing } = parts;
  const flow = jobRun(parts);
  link.bus.serve(
    link.subjects.job(link.own.fp),
    undefined,
    [contracts.job, contracts.presence, contracts.refresh],
    (opened) => {
      if (opened.kind === contracts.presence.kind) answerPresence(opened, parts);
      else if (opened.kind === contracts.refresh.kind) refresh(opened, parts);
      else if (standing.accepted) return finishing.during(() => flow.handle(orderOf(opened)));
      return undefined;
    },
  );
}

function answerPresence(opened: Opened<typeof contracts.presence>, { execution, spool }: JobParts): void {
  const { jids } = opened.body;
  const running = execution.running();
  if (jids.length === 0) {
    opened.answer(contracts.here, { running: running.slice(-MAX_RUNNING) });
    return;
  }
  const returning = spool.cameWithin(RETURNING_MS);
  opened.answer(contracts.here, { running: jids.filter((jid) => running.includes(jid) || returning.has(jid)) });
}

function refresh({ body }: Opened<typeof contracts.refresh>, { data, standing }: JobParts): void {
  if (body.what === 'standing') void standing.check();
  else void data[body.what]();
}

function orderOf(opened: Opened<typeof contracts.job>): JobOrder {
  const { request, grant, instance }: Body<typeof contracts.job> = opened.body;
  const { owner } = opened.party;
  return {
    request,
    grant,
    place: placeIn(opened.private),
    instance,
    fromGateway: owner.type === 'role' && owner.role === 'gateway',
  };
}

/** The private part of a job: [index, proof]; anything else is a place in no tree. */
function placeIn(bytes: Uint8Array): JobOrder['place'] {
  try {
    const [index, proof] = decode(bytes, MAX_BRIEF_VALUES) as readonly [Wire, Wire];
    return typeof index === 'number' && isProof(proof) ? { index, proof } : NO_PLACE;
  } catch {
    return NO_PLACE;
  }
}

const NO_PLACE: JobOrder['place'] = { index: -1, proof: [] };

function isProof(proof: Wire): proof is readonly Uint8Array[] {
  return Array.isArray(proof) && proof.every((hash) => hash instanceof Uint8Array);
}

function jobRun(parts: JobParts): JobRun {
  const { id, link, record, spool, outbox, execution, returners, finishing } = parts;
  const { tracing } = link.bus;
  /** What is handed to returners once the return is on its way, by the request's digest. */
  const afterwards = new Map<string, () => void>();
  const leaf = leafOf(link.identity.publicKey, id);
  return new JobRun({
    readGrant: (grant) => {
      const verify = () => checkGrant(link, grant, parts.verifyGrant ?? verifyGrant);
      const checked = tracing.step('verify', {}, verify);
      tracing.note(checked.ok ? { jid: checked.value.jid } : { refusal: checked.error.code });
      return checked;
    },
    digestOf,
    readRequest: (bytes): Result<Request, string> => {
      const request = readAsked(bytes);
      return request === undefined ? err('shape') : ok(request);
    },
    isUnder: (grant, { index, proof }) => verifyProof(grant.root, grant.count, index, leaf, proof),
    admit: (digest, issued, until) => record.admit(digest, issued, until),
    isStopping: () => finishing.isStopping,
    recordStart: (digest, until, jid) => record.start(digest, until, jid),
    recordFinish: (digest) => {
      record.ran(digest);
    },
    execute: async (request, grant) => {
      const { funs } = request;
      const outcome = await tracing.step('run', { jid: grant.jid, funs }, () => execution.run(request, grant));
      if (request.returner !== '')
        afterwards.set(grant.requestDigest, () => {
          returners.hand(request.returner, returnFacts(id, request, grant, outcome), returnerOptions(request));
        });
      return sendable(outcome, (plain) => encodedSize(plain as Wire), { maxValues: MAX_RETURNED_VALUES });
    },
    deliver: (ret, asked) => {
      outbox.deliver(ret, asked);
      afterwards.get(ret.digest)?.();
      afterwards.delete(ret.digest);
    },
    spooled: (digest) => spool.get(digest),
    now: () => link.clock.now(),
    skewMs: link.clock.skewMs,
  });
}

function checkGrant(
  { roles, clock }: Link,
  grant: Signed,
  verify: typeof verifyGrant,
): Result<CheckedGrant, GrantRefusal> {
  const aclKeys = roles.keysOf('acl');
  const verified = verify(grant, roles.cluster, aclKeys, 'job');
  if (!verified.ok) {
    const isRun = readGrant(grant, roles.cluster, aclKeys, 'run', clock.now(), clock.skewMs).ok;
    return err({ code: isRun ? 'grant_kind' : 'grant_signature' });
  }
  const checked = asChecked(verified.value);
  if (!inTime(verified.value, clock.now(), clock.skewMs).ok) {
    // Only the time is wrong: the gateway is told which job this was.
    return err(checked === undefined ? { code: 'grant_expired' } : { code: 'grant_expired', grant: checked });
  }
  if (checked === undefined) return err({ code: 'grant_signature' });
  clock.raiseFloor(Math.min(verified.value.issued, clock.now()));
  return ok(checked);
}

function asChecked(grant: Grant): CheckedGrant | undefined {
  const jid = parseJid(grant.jid);
  if (jid === undefined) return undefined;
  const { requestDigest, caller, onBehalfOf, expires, issued, root, count } = grant;
  return { requestDigest: toHex(requestDigest), caller, onBehalfOf, jid, expires, issued, root, count };
}
