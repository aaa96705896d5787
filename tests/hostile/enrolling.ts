/** An operator and newcomers, played by the test: requests about keys, and joining. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Link } from '@natrium/client';
import {
  encodeRequest,
  fingerprint,
  type Identity,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  signJoin,
  type SigningKey,
  type Wire,
} from '@natrium/envelope';
import { aRequest, PATIENCE_MS } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import type { World } from './world.js';

/** A key as an operator names it. */
export type KeyPair = Readonly<Record<'id' | 'fingerprint', string>>;

export function newIdentity(): Identity {
  return identityFrom(newIdentitySecret());
}

export class Enrolling {
  private constructor(
    private readonly world: World,
    /** The first account, which has full access. */
    readonly account: Link,
  ) {}

  static async in(world: World): Promise<Enrolling> {
    return new Enrolling(world, await world.cluster.session(world.cluster.account));
  }

  /** What an account's signed request about keys comes to. */
  async admin(
    from: Link,
    fun: string,
    args: Wire[],
    signer: SigningKey | 'nobody' = from.identity.signing,
  ): Promise<unknown> {
    const { cluster } = this.world.acl;
    const request = encodeRequest(aRequest(this.world.now, { what: 'key', funs: [fun], args: [args], tgt: '' }));
    const signature = signer === 'nobody' ? new Uint8Array(64) : signer.sign('request', cluster, request);
    const answer = await from.bus.ask(
      {
        contract: contracts.admin,
        body: { request, signature },
        subject: from.subjects.usrAcl(from.own.fp, 'admin'),
        to: () => from.services('acl'),
      },
      contracts.adminDone,
      PATIENCE_MS,
    );
    return answer.ok ? (answer.value.body.refusal?.code ?? answer.value.body.result) : answer.error;
  }

  roster(): Promise<unknown> {
    return this.admin(this.account, 'key.list', []);
  }

  /** A key that has asked to be let in and waits. */
  async aPendingKey(id: string): Promise<{ readonly link: Link; readonly pair: KeyPair }> {
    const link = await this.world.cluster.newcomer(newIdentity());
    expect(await this.joins(link, id)).toBe('pending');
    return { link, pair: { id, fingerprint: fingerprint(link.identity.publicKey) } };
  }

  /** A key that a file of the operator names beforehand, and that has not asked yet. */
  async anExpectedKey(id: string): Promise<{ readonly link: Link; readonly pair: KeyPair }> {
    const link = await this.world.cluster.newcomer(newIdentity());
    const pair = { id, fingerprint: fingerprint(link.identity.publicKey) };
    const folder = join(this.world.cluster.folder, 'master', 'pki', 'minions');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, id), `${pair.fingerprint}\n`);
    return { link, pair };
  }

  /** @param shown Grains beside the request. @param from Who hands it in. */
  async joins(link: Link, id: string, shown: Readonly<Record<string, string>> = {}, from = link): Promise<string> {
    const request = signJoin(link.identity.signing, this.world.acl.cluster, {
      id,
      identity: link.identity.publicKey,
      nkey: link.identity.nkeyPublic,
      announcement: link.own.announced,
      issued: this.world.now,
      nonce: randomBytes(16),
    });
    const question = {
      contract: contracts.join,
      body: { request, grains: shown },
      subject: from.subjects.join,
      to: () => from.services('acl'),
    };
    const answer = await from.bus.ask(question, contracts.joined, PATIENCE_MS);
    return answer.ok ? answer.value.body.state : answer.error;
  }
}
