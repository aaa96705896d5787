/** Checks of messages, keys and records, removed one at a time. */
import { edit, type Mutant } from './mutant.js';

export const MESSAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 're',
    edits: [
      edit(
        'libs/envelope/src/open.ts',
        "return ctx.expects(header.re, party, kind) ? undefined : 're';",
        'return undefined;',
      ),
    ],
    spec: 'libs/bus/src/asking/sealed-bus.spec.ts',
    test: 'an answer to another question is ignored',
  },
  {
    name: "answerer's role",
    edits: [
      edit(
        'libs/bus/src/asking/conversation.ts',
        'return party.owner.role === asked.owner.role;',
        'return party.owner.type === asked.owner.type;',
      ),
    ],
    spec: 'libs/bus/src/asking/sealed-bus.spec.ts',
    test: 'a stale key of somebody who was not asked changes nothing',
  },
  {
    name: 'commitment',
    edits: [
      edit(
        'libs/envelope/src/open.ts',
        "if (!equalBytes(commitment, header.commitment)) return err('commitment');",
        "if (commitment.length === 0) return err('commitment');",
      ),
    ],
    spec: 'libs/envelope/src/open.spec.ts',
    test: 'opening refuses a header that commits to another content key',
  },
  {
    name: 'kx order',
    edits: [edit('libs/envelope/src/epoch.ts', 'return order < 0\n', 'return order > 0\n')],
    spec: 'libs/envelope/src/vectors/keys.vectors.spec.ts',
    test: 'kx: a to b gives pair',
  },
  {
    name: 'key id binds owner',
    edits: [
      edit(
        'libs/envelope/src/keys.ts',
        'blake2b(32, null, KEY_ID, ownerPublicKey, epochPublicKey)',
        'blake2b(32, null, KEY_ID, ownerPublicKey.subarray(0, 0), epochPublicKey)',
      ),
    ],
    spec: 'libs/envelope/src/vectors/keys.vectors.spec.ts',
    test: 'keys: identity web1 with the epoch key of web1',
  },
  {
    name: 'wrap AAD',
    edits: [
      edit(
        'libs/envelope/src/message-body.ts',
        'wrapPlace.set(hash, WRAP.length + 64)',
        'wrapPlace.set(hash.subarray(0, 0), WRAP.length + 64)',
      ),
    ],
    spec: 'libs/envelope/src/vectors/body.vectors.spec.ts',
    test: 'wraps: without a private part',
  },
  {
    name: 'subject, kind and role',
    edits: [edit('libs/bus/src/sealing/sealer.ts', 'if (!contract.from.includes(role)) return false;', '')],
    spec: 'tests/hostile/message.spec.ts',
    test: 'a job’s message from another than the gateway is refused when it is from the runner-service',
  },
  {
    name: 'issued in the future',
    edits: [edit('libs/envelope/src/open.ts', "if (issued > ctx.now + ctx.skewMs) return 'future';", '')],
    spec: 'tests/hostile/message.spec.ts',
    test: 'a job’s message that lies in its header about the time, ahead',
  },
  {
    name: 'lifetime cap',
    edits: [edit('libs/envelope/src/open.ts', ' || lifetime > ctx.maxLifetime(kind)', '')],
    spec: 'tests/hostile/message.spec.ts',
    test: 'a job’s message that lies in its header about how long it is good',
  },
  {
    name: 'time nonce',
    edits: [
      edit(
        'libs/envelope/src/time.ts',
        "return equalBytes(told.over, nonce) ? ok(told.at) : err('nonce');",
        'return ok(told.at);',
      ),
    ],
    spec: 'tests/hostile/time.spec.ts',
    test: 'the time is not moved by an old answer of the acl-service',
  },
  {
    name: 'whose receipt it is',
    edits: [
      edit(
        'libs/bus/src/asking/asking.ts',
        'equalBytes(one.receipt, receipt)',
        'one.receipt.length === receipt.length',
      ),
    ],
    spec: 'libs/bus/src/asking/receipt.spec.ts',
    test: 'what is delivered is not done by the receipt of another',
  },
  {
    name: 'stale_key once',
    edits: [edit('libs/bus/src/asking/asking.ts', ' || this.#retried.has(replica)', '')],
    spec: 'libs/bus/src/asking/sealed-bus.spec.ts',
    test: 'a stale key is mended once for each replica',
  },
  {
    name: 'roles serial',
    edits: [edit('libs/bus/src/asking/hello.ts', 'pin, asked.minSerial)', 'pin, 0 * asked.minSerial)')],
    spec: 'libs/bus/src/asking/hello.spec.ts',
    test: 'hello refuses a serial below the highest that was seen',
  },
  {
    name: 'end of the roles document',
    edits: [
      edit(
        'libs/bus/src/parties/roles.ts',
        "if (read.value.owner.type === 'role') return this.#whileNamed(read.value, nowMs);",
        "if (read.value.owner.type === 'role') return read;",
      ),
    ],
    spec: 'libs/bus/src/asking/roles-ended.spec.ts',
    test: 'a service is heard and asked until its end',
  },
  {
    name: 'round trip of hello',
    edits: [edit('libs/bus/src/asking/hello.ts', 'ms >= 0 && ms <= MAX_ROUND_TRIP_MS', 'ms !== undefined')],
    spec: 'libs/bus/src/asking/hello.spec.ts',
    test: 'hello takes no answer after 2001 ms by the own clock',
  },
  {
    name: 'clock that was set',
    edits: [
      edit('libs/bus/src/parties/clock.ts', 'this.#ahead() - this.#aheadMs) > SET_MS', 'this.#aheadMs) === SET_MS'),
    ],
    spec: 'apps/minion-agent/src/identity/epochs.spec.ts',
    test: 'a clock that was set is corrected at the next look',
  },
  {
    name: 'announcement expiry',
    edits: [edit('libs/envelope/src/announcement.ts', "if (now > party.notAfter) return err('expired');", '')],
    spec: 'libs/envelope/src/announcement.spec.ts',
    test: 'an announcement holds until its end and not a millisecond longer',
  },
  {
    name: 'the very bytes that were verified',
    edits: [
      edit(
        'libs/envelope/src/verified.ts',
        'known !== undefined && known.bytes === mapKey(bytes)',
        'known !== undefined && bytes.length > 0',
      ),
    ],
    spec: 'libs/envelope/src/verified.spec.ts',
    test: 'is told of the same bytes under the same signature only',
  },
  {
    name: 'expiry of what was verified',
    edits: [
      edit(
        'libs/bus/src/parties/roles.ts',
        'return announcedNow(known, nowMs, skewMs);',
        'return { ok: true, value: known };',
      ),
    ],
    spec: 'libs/bus/src/parties/roles.spec.ts',
    test: 'an announcement of an identity is verified once: what comes again is the same party, in its time only',
  },
  {
    name: 'typed principals',
    edits: [
      edit(
        'libs/acl/src/caller-lists.ts',
        'lists: callerLists(policy.runnerGrants, `runner ${name}`, name, memo)',
        'lists: callerLists(policy.peer, `runner ${name}`, name, memo)',
      ),
    ],
    spec: 'libs/acl/src/decide.spec.ts',
    test: 'runners and reactors have their own sections, empty unless written',
  },
  {
    name: 'fingerprint at acceptance',
    edits: [
      edit(
        'libs/flow/src/key-requests.ts',
        ' && this.ports.fingerprintOf(identity) === fingerprint)',
        ' && identity.length + fingerprint.length > 0)',
      ),
    ],
    spec: 'libs/flow/src/key-requests.spec.ts',
    test: 'key requests refuse another fingerprint than the one that was looked at',
  },
  {
    name: "minion's signature on data",
    edits: [
      edit(
        'libs/envelope/src/data.ts',
        "if (!verify('data', cluster, identityKey, object.bytes, object.signature)) return err('signature');",
        '',
      ),
    ],
    spec: 'libs/envelope/src/signed-objects.spec.ts',
    test: "a minion's data of another identity or cluster is refused",
  },
  {
    name: 'grant-run at a minion',
    edits: [
      edit(
        'libs/envelope/src/grant.ts',
        "if (signerAmong(aclKeys, WHAT[kind], cluster, object) === undefined) return err('signature');\n  const grant",
        "if ([WHAT[kind], WHAT.run].every((what) => signerAmong(aclKeys, what, cluster, object) === undefined)) return err('signature');\n  const grant",
      ),
      edit(
        'libs/envelope/src/grant.ts',
        'const grant = shaped(object.bytes, readShape(kind));',
        "const grant = shaped(object.bytes, readShape(kind)) ?? shaped(object.bytes, readShape('run'));",
      ),
    ],
    spec: 'tests/hostile/grant.spec.ts',
    test: 'a grant-run is refused even if the acl-service gave it for this very job',
  },
  {
    name: 'storage AAD',
    edits: [edit('libs/envelope/src/storage.ts', 'idBytes, utf8(place))', 'idBytes, utf8(place).subarray(0, 0))')],
    spec: 'libs/envelope/src/storage.spec.ts',
    test: 'a stored value does not open at jobs/abd',
  },
  {
    name: 'seen-set full',
    edits: [
      edit(
        'libs/envelope/src/seen-sets.ts',
        "if (this.#kept.size >= this.max) return 'slow_down';",
        'for (const id of this.#kept.keys()) if (this.#kept.size >= this.max) this.#kept.delete(id);',
      ),
    ],
    spec: 'libs/envelope/src/seen-sets.spec.ts',
    test: 'seen messages are kept as long as they could be replayed, though the set is full',
  },
];
