/** Rules of a start in the middle of a change of identity: only a decision on a key counts as one, and no key is lost before it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equalBytes, sodiumReady } from '@natrium/envelope';
import { NextIdentity, readIdentity, readOrMakeIdentity } from '@natrium/keystore';
import { pino } from 'pino';
import type { ComingIn } from './coming-in.js';
import { identityAtStart } from './identity-at-start.js';

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-start-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A start where the cluster says this of the two; the agent is told to stop when it has said all of it. */
async function start(said: { readonly old: string | undefined; readonly next?: string | undefined }) {
  const path = join(folder, 'minion.key');
  const old = readOrMakeIdentity(path).identity.publicKey;
  const files = new NextIdentity(path);
  const next = files.readOrMake().publicKey;
  const stop = new AbortController();
  const asked: string[] = [];
  const about = { log: pino({ enabled: false }), signal: stop.signal } as unknown as ComingIn;
  const standing = ({ identity }: ComingIn) => {
    const who = equalBytes(identity.publicKey, old) ? 'old' : 'next';
    if (who === 'next' || !('next' in said)) stop.abort(new Error('stopped'));
    asked.push(who);
    return Promise.resolve(said[who]);
  };
  const nameOf = (key: Uint8Array | undefined) =>
    key === undefined ? 'none' : equalBytes(key, old) ? 'old' : equalBytes(key, next) ? 'next' : 'another';
  const taken = await identityAtStart(about, path, standing).then(
    ({ publicKey }) => nameOf(publicKey),
    (error: unknown) => (error as Error).message,
  );
  const kept = [readIdentity(path)?.publicKey, files.read()?.publicKey].map(nameOf);
  return { asked, taken, kept };
}

it.each(['accepted', 'pending'])('the old one that is %s is the one, and the new one is kept', async (old) => {
  expect(await start({ old })).toEqual({ asked: ['old'], taken: 'old', kept: ['old', 'next'] });
});

it.each(['full', undefined])('that the old one hears %s decides nothing: it asks again', async (old) => {
  expect(await start({ old })).toEqual({ asked: ['old'], taken: 'stopped', kept: ['old', 'next'] });
});

it('a new one gets a record in which nothing has run; one that was here before gets none', async () => {
  const about = { config: { cachedir: folder } } as unknown as ComingIn;
  const file = join(folder, 'record', 'run-once');
  const made = await identityAtStart(about, join(folder, 'minion.key'));
  expect(readFileSync(file, 'utf8')).toBe('boot none\n');
  rmSync(file);
  expect([await identityAtStart(about, join(folder, 'minion.key')), existsSync(file)]).toEqual([made, false]);
});

describe.each(['denied', 'rejected'])('where the old one is %s', (old) => {
  it('the new one that is accepted takes its place', async () => {
    expect(await start({ old, next: 'accepted' })).toEqual({ asked: ['old', 'next'], taken: 'next', kept: ['next', 'none'] });
  }); // prettier-ignore

  it.each(['denied', 'rejected'])('the new one that is %s too is dropped', async (next) => {
    expect(await start({ old, next })).toEqual({ asked: ['old', 'next'], taken: 'old', kept: ['old', 'none'] });
  });

  it.each(['pending', 'full', undefined])('the new one that hears %s is kept, and asks again', async (next) => {
    expect(await start({ old, next })).toEqual({ asked: ['old', 'next'], taken: 'stopped', kept: ['old', 'next'] });
  });
});
