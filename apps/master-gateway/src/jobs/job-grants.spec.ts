/** Rules of grants that are being written: who goes on with a job for one of them has to be sure that it will be there. */
import { MemoryStore } from '@natrium/bus';
import { jidOf } from '@natrium/model';
import { recordOf } from './a-record.spec-support.js';
import { JobGrants } from './job-grants.js';

const NOW = Date.UTC(2026, 10, 20, 14, 16, 46);
const JID = jidOf((NOW - 5000) * 1000);
const { caller, grant, members, missing } = recordOf(JID);
const GRANTED = { jid: JID, place: new Uint8Array(32), caller, grant, members, missing };

/** Takes nothing, and says so when it is told to. */
class FullStore extends MemoryStore {
  refuse: () => void = () => undefined;

  override put(): Promise<number> {
    return new Promise((_, reject) => {
      this.refuse = () => {
        reject(new Error('no acknowledgement in time'));
      };
    });
  }
}

const grantsIn = (store: MemoryStore) => new JobGrants(store, { instance: 'gw1', now: () => NOW });

it('one that is written until it is there is known at once', async () => {
  const grants = grantsIn(new MemoryStore('jobs'));
  const written = grants.keep(GRANTED, 'soon');
  expect(await grants.find(JID)).toEqual(GRANTED);
  await written;
});

it('one whose writing may fail is known when it is written', async () => {
  const grants = grantsIn(new MemoryStore('jobs'));
  await grants.keep(GRANTED, 'now');
  expect(await grants.find(JID)).toEqual(GRANTED);
});

it('and not before: its job would be gone on with, and its returns would belong to no job where it fails', async () => {
  const store = new FullStore('jobs');
  const grants = grantsIn(store);
  const written = grants.keep(GRANTED, 'now');
  expect(await grants.find(JID)).toBeUndefined();
  store.refuse();
  await expect(written).rejects.toThrow('no acknowledgement');
});
