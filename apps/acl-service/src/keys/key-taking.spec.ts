/** Rules of what is told of the keys that one request takes, also when its time is over in the middle. */
import { type KeyRecord, KeyRequests } from '@natrium/flow';
import { KeyTaking } from './key-taking.js';

const KEYS = ['web1', 'web2'].map((id): KeyRecord => {
  const key = new TextEncoder().encode(id);
  return { kind: 'minion', name: id, identity: key, nkey: key, state: 'pending', revision: 1 };
});
const [WEB1, WEB2] = ['web1', 'web2'].map((id) => ({ id, fingerprint: `of ${id}` })) as [Named, Named];

interface Named {
  readonly id: string;
  readonly fingerprint: string;
}

/** @param write What becomes of each write of a new state. */
function aTaking(write: (record: KeyRecord) => Promise<KeyRecord | undefined>) {
  const time = new AbortController();
  const requests = new KeyRequests({
    records: () => KEYS,
    named: (id) => KEYS.filter(({ name }) => name === id),
    fingerprintOf: (key) => `of ${new TextDecoder().decode(key)}`,
    textOf: () => '',
    hasRoom: () => true,
    change: write,
  });
  return { taking: new KeyTaking(requests, time.signal), time };
}

it('what was taken is told, and what was not, with its reason', async () => {
  const { taking } = aTaking((record) => Promise.resolve(record.name === 'web1' ? record : undefined));
  await taking.change('accept', WEB1);
  await expect(taking.change('accept', WEB2)).rejects.toThrow('changed by someone else');
  expect(await taking.outcomes()).toEqual([
    { change: 'accept', ...WEB1, code: undefined },
    { change: 'accept', ...WEB2, code: 'key_state' },
  ]);
});

it('a key of which nobody knows whether it was written is told too', async () => {
  const { taking } = aTaking(() => Promise.reject(new Error('the broker does not answer')));
  await expect(taking.change('accept', WEB1)).rejects.toThrow('the broker does not answer');
  expect(await taking.outcomes()).toEqual([{ change: 'accept', ...WEB1, code: 'failed' }]);
});

it('a key that is under way when the time is over is told when it is written, and none is begun after it', async () => {
  const written: string[] = [];
  let store = (): void => undefined;
  const stored = new Promise<KeyRecord | undefined>((resolve) => (store = () => resolve(KEYS[0])));
  const { taking, time } = aTaking(({ name }) => {
    written.push(name);
    return stored;
  });
  const first = taking.change('accept', WEB1);
  time.abort(new Error('it took too long'));
  await expect(taking.change('accept', WEB2)).rejects.toThrow('it took too long');
  const told = taking.outcomes().then((keys) => [...keys]);
  store();
  await first;
  expect(await told).toEqual([{ change: 'accept', ...WEB1, code: undefined }]);
  expect(written).toEqual(['web1']);
});
