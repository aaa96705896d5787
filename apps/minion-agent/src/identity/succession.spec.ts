/** Rules of a new identity where the broker fails it: what is decided is said to be so. On a real cluster: tests/keys/succession.spec.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnParty } from '@natrium/bus';
import { clusterOf, fingerprint, type Identity, identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { NextIdentity } from '@natrium/keystore';
import { ok } from '@natrium/model';
import { subjectsOf } from '@natrium/wire';
import { pino } from 'pino';
import { type CameIn, LiveLink } from '../link/live-link.js';
import type { comeInBeside } from './coming-in.js';
import { Succession, type SuccessionParts } from './succession.js';

const NOW = 1_795_000_000_000;
const NEVER = new Promise<never>(() => undefined);

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-succession-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** An agent of a cluster that accepts each identity; its connection as the new one fails as a test says. */
function anAgent({
  renew,
  flush = () => Promise.resolve(),
}: {
  renew: () => Promise<void>;
  flush?: () => Promise<void>;
}) {
  const cluster = clusterOf(identityFrom(newIdentitySecret()).publicKey);
  const roles = { cluster, document: { serial: 1 } };
  const asked: string[] = [];
  const lines: string[] = [];
  const ended: string[] = [];
  const bus = {
    ask: ({ body }: { readonly body: { readonly what: string } }) => {
      asked.push(body.what);
      return Promise.resolve(ok({ body: { refusal: null, user: null } }));
    },
  };
  const cameIn = (name: string, identity: Identity): CameIn => {
    const { publicKey: key, signing } = identity;
    const own = new OwnParty(
      { owner: { type: 'identity', key }, signing, cluster, use: 'jobs', rolesSerial: 1 },
      { epochMs: 3_600_000, overlapMs: 60_000, announcementMs: 60_000 },
    );
    own.rotate(NOW);
    const drain = () => {
      ended.push(name);
      return Promise.resolve();
    };
    const transport = { renew, flush, drain, whenBack: () => undefined, lost: NEVER };
    const link = { bus, own, roles, identity, subjects: subjectsOf('main'), clock: { now: () => NOW } };
    return { transport, link, user: undefined } as unknown as CameIn;
  };
  const live = new LiveLink(cameIn('old', identityFrom(newIdentitySecret())));
  const files = new NextIdentity(join(folder, 'minion.key'));
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }); // prettier-ignore
  const signal = new AbortController().signal;
  const parts = {
    about: { config: { id: 'web1' }, log, signal },
    files,
    live,
    data: { signedBy: () => ({ bytes: new Uint8Array(), signature: new Uint8Array(64) }) },
    hear: () => undefined,
    onChanged: () => undefined,
  };
  const comeIn: typeof comeInBeside = ({ identity }) => Promise.resolve(cameIn('new', identity));
  const succession = new Succession(parts as unknown as SuccessionParts, comeIn);
  return { succession, live, files, asked, lines, ended };
}

it('is said to be in force once that is decided, also where the broker does not take its user at once', async () => {
  const { succession, live, files, asked, lines, ended } = anAgent({
    renew: () => Promise.reject(new Error('refused')),
  });
  const before = fingerprint(live.identity.publicKey);
  const finger = await succession.renew();
  expect(finger).toBe(fingerprint(live.identity.publicKey));
  expect(finger).not.toBe(before);
  expect([asked, files.read(), ended]).toEqual([['prepare', 'prepare', 'commit'], undefined, []]);
  expect(lines).toEqual(['the new identity is not connected with its own user of the broker yet']);
  await succession.close();
  expect(ended).toEqual(['old']);
});

it('is not in force where the broker fails before it is decided, and is gone on with', async () => {
  let isThere = false;
  const { succession, live, files, asked, ended } = anAgent({
    renew: () => Promise.resolve(),
    flush: () => (isThere ? Promise.resolve() : Promise.reject(new Error('disconnected'))),
  });
  const before = live.identity;
  await expect(succession.renew()).rejects.toThrow('disconnected');
  expect([live.identity === before, asked, ended]).toEqual([true, ['prepare', 'prepare'], ['new']]);
  const next = fingerprint(files.read()!.publicKey);
  isThere = true;
  await succession.resume();
  expect([fingerprint(live.identity.publicKey), files.read()]).toEqual([next, undefined]);
  await succession.close();
});
