/** Rules of what acl-services tell of their policies: each its own, newest state, and nothing of who is gone. */
import { MemoryStore } from '@natrium/bus';
import { policyHandler, PolicyReports } from './policy-reports.js';

const MINUTE_MS = 60_000;

class Fleet {
  readonly store = new MemoryStore('tokens');
  readonly errors: unknown[] = [];
  now = 1_795_000_000_000;

  async join(instance: string, policy: number) {
    const policies = { current: { revision: new Uint8Array(32).fill(policy) }, isRefused: false };
    const stops: (() => Promise<void>)[] = [];
    const log = { error: (error: unknown) => this.errors.push(error) };
    const reports = await PolicyReports.begin(
      { own: { instance }, clock: { now: () => this.now } },
      { store: this.store, policies, log: log as never, onStop: (stop) => stops.push(stop) },
    );
    const stop = async () => {
      for (const one of stops) await one();
    };
    return { reports, policies, stop };
  }
}

const said = (instance: string, policy: string, refused = false) => ({ instance, policy: policy.repeat(32), refused });
const told = (reports: PolicyReports) => policyHandler(reports)('policy.in_force', [], () => undefined);

it('any of them tells what each has in force, and whose newest files are refused', async () => {
  const fleet = new Fleet();
  const [one, two] = [await fleet.join('one', 0xaa), await fleet.join('two', 0xaa)];
  expect(await told(one.reports)).toEqual({ ok: true, value: [said('one', 'aa'), said('two', 'aa')] });
  one.policies.current.revision = new Uint8Array(32).fill(0xbb);
  two.policies.isRefused = true;
  await Promise.all([one.reports.tell(), two.reports.tell()]);
  const all = [said('one', 'bb'), said('two', 'aa', true)];
  for (const { reports } of [one, two]) expect(await told(reports)).toEqual({ ok: true, value: all });
});

it('one that stops takes its word back, and one that was killed is forgotten after an hour', async () => {
  const fleet = new Fleet();
  const [one, two, three] = [await fleet.join('one', 1), await fleet.join('two', 1), await fleet.join('three', 1)];
  await two.stop();
  expect(await told(one.reports)).toMatchObject({ value: [{ instance: 'one' }, { instance: 'three' }] });
  fleet.now += 59 * MINUTE_MS;
  await one.reports.tell();
  await one.reports.sweep();
  expect(await three.reports.list()).toHaveLength(2);
  fleet.now += 2 * MINUTE_MS;
  await one.reports.sweep();
  expect(await told(one.reports)).toMatchObject({ value: [{ instance: 'one' }] });
});

it('a store that takes nothing is said, and stops nothing', async () => {
  const fleet = new Fleet();
  fleet.store.put = () => Promise.reject(new Error('full'));
  const { stop } = await fleet.join('one', 1);
  expect(fleet.errors).toEqual([{ err: new Error('full') }]);
  await stop();
});

it('refuses what it does not know', async () => {
  const { reports } = await new Fleet().join('one', 1);
  expect(await policyHandler(reports)('policy.change', [], () => undefined)).toMatchObject({
    ok: false,
    error: { code: 'bad_request' },
  });
});
