/** Checks on the way of a request and a job, removed one at a time. */
import { edit, type Mutant } from './mutant.js';

export const JOB_MUTANTS: readonly Mutant[] = [
  {
    name: "caller's signature",
    edits: [
      edit(
        'apps/acl-service/src/granting.ts',
        "signature !== null && verify('request', link.roles.cluster, key, bytes, signature),",
        'signature !== null && key.length + bytes.length > 0,',
      ),
    ],
    spec: 'tests/hostile/request.spec.ts',
    test: 'an invented caller is refused when another enrolled key signed',
  },
  {
    name: 'roster state',
    edits: [
      edit(
        'apps/acl-service/src/roster/roster.ts',
        "return record?.state === 'accepted' ? { kind: record.kind",
        'return record !== undefined ? { kind: record.kind',
      ),
    ],
    spec: 'apps/acl-service/src/roster/roster.spec.ts',
    test: 'the roster tells every replica of a new key and of what becomes of it',
  },
  {
    name: "the old identity's signature on the new",
    edits: [
      edit(
        'apps/acl-service/src/keys/succeeding.ts',
        "if (!verify('succession', roles.cluster, oldKey, object.bytes, signature)) return err(NOT_VOUCHED);",
        'if (oldKey.length + signature.length === 0) return err(NOT_VOUCHED);',
      ),
    ],
    spec: 'tests/hostile/succession.spec.ts',
    test: 'a new identity that another minion’s key signs is refused, and nothing changes; its twin is accepted',
  },
  {
    name: 'grant kind',
    edits: [
      edit(
        'libs/envelope/src/grant.ts',
        "{ job: 'grant-job', run: 'grant-run' }",
        "{ job: 'grant-job', run: 'grant-job' }",
      ),
    ],
    spec: 'libs/envelope/src/grant.spec.ts',
    test: 'a grant of one kind is never the other',
  },
  {
    name: 'request digest',
    edits: [
      edit(
        'libs/flow/src/job-run.ts',
        "if (this.ports.digestOf(order.request) !== grant.requestDigest) return refuse('grant_digest', grant);",
        '',
      ),
    ],
    spec: 'tests/hostile/grant.spec.ts',
    test: 'a grant that the acl-service did not give is refused for another request',
  },
  {
    name: 'jid',
    edits: [
      edit(
        'apps/master-gateway/src/acl-client.ts',
        'if (said.jid !== jid) return',
        'if (said.jid === undefined) return',
      ),
    ],
    spec: 'apps/master-gateway/src/acl-client.spec.ts',
    test: 'the acl-service’s answer is refused when its grant is for another job',
  },
  {
    name: 'expiry',
    edits: [
      edit(
        'libs/envelope/src/grant.ts',
        "return now > grant.expires ? err('expired') : ok(grant);",
        'return ok(grant);',
      ),
    ],
    spec: 'tests/hostile/grant.spec.ts',
    test: 'a grant that is over is refused a minute after it was given',
  },
  {
    name: 'run-once by digest',
    edits: [
      edit('libs/flow/src/job-run.ts', 'this.ports.admit(grant.requestDigest,', 'this.ports.admit(grant.jid,'),
      edit(
        'libs/flow/src/job-run.ts',
        'this.ports.recordStart(grant.requestDigest,',
        'this.ports.recordStart(grant.jid,',
      ),
      edit('libs/flow/src/job-run.ts', 'this.ports.recordFinish(requestDigest);', 'this.ports.recordFinish(jid);'),
    ],
    spec: 'tests/hostile/once.spec.ts',
    test: 'a grant that is used twice runs once under two jids',
  },
  {
    name: 'record before run',
    edits: [
      edit(
        'libs/flow/src/job-run.ts',
        "if (!this.ports.recordStart(grant.requestDigest, until, grant.jid)) {\n      this.#answer(order, grant, 'refused', 'record_unwritable');\n      return;\n    }",
        '',
      ),
      edit(
        'libs/flow/src/job-run.ts',
        'const outcome = await this.#execute(request, grant);',
        'const outcome = await this.#execute(request, grant);\n    this.ports.recordStart(grant.requestDigest, until, grant.jid);',
      ),
    ],
    spec: 'libs/flow/src/job-run.spec.ts',
    test: 'a job at a minion is checked, recorded, run, spooled and finished, in this order',
  },
  {
    name: 'not writable',
    edits: [
      edit(
        'libs/flow/src/job-run.ts',
        'if (!this.ports.recordStart(grant.requestDigest, until, grant.jid)) {',
        'this.ports.recordStart(grant.requestDigest, until, grant.jid);\n    if (grant.jid.length === 0) {',
      ),
    ],
    spec: 'libs/flow/src/job-run.spec.ts',
    test: 'a job at a minion refuses everything when the record cannot be written',
  },
  {
    name: 'leaf binds identity',
    edits: [
      edit('libs/envelope/src/merkle.ts', 'LEAF, identityKey, utf8(id)', 'LEAF, identityKey.subarray(0, 0), utf8(id)'),
    ],
    spec: 'tests/hostile/grant.spec.ts',
    test: 'a minion that the grant does not name refuses when another identity was granted under its id',
  },
  {
    name: 'cluster name',
    edits: [
      edit(
        'libs/envelope/src/signing.ts',
        'PREFIX.get(what) ?? unknown(what), cluster, bytes',
        'PREFIX.get(what) ?? unknown(what), cluster.subarray(0, 0), bytes',
      ),
    ],
    spec: 'tests/hostile/grant.spec.ts',
    test: 'a grant that the acl-service did not give is refused when it is for another cluster',
  },
];
