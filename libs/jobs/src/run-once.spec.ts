/** Rules of the run-once record: a request runs once, also after a restart, and a record in doubt runs nothing old. */
import { RunOnce } from './run-once.js';

const NOW = 1_795_000_000_000;
const UNTIL = NOW + 65_000;

describe('the run-once record', () => {
  it('admits a request that it does not know', () => {
    expect(new RunOnce().admit('a', NOW, NOW + 1)).toBe('run');
  });

  it('does not admit one that is running', () => {
    const once = new RunOnce();
    once.started('a', UNTIL);
    expect(once.admit('a', NOW, NOW + 1)).toBe('running');
    expect(once.admit('b', NOW, NOW + 1)).toBe('run');
  });

  it('does not admit one that has finished', () => {
    const once = new RunOnce();
    once.started('a', UNTIL);
    once.finished('a');
    expect(once.admit('a', NOW, NOW + 1)).toBe('finished');
  });

  it('calls one that was running when the agent died interrupted, and never runs it again', () => {
    const once = new RunOnce();
    once.restore('a', 'started', UNTIL);
    once.restore('b', 'finished', UNTIL);
    expect(once.admit('a', NOW, NOW + 1)).toBe('interrupted');
    expect(once.admit('b', NOW, NOW + 1)).toBe('finished');
  });

  it('refuses what was issued before a record in doubt, and admits what was issued from then on', () => {
    const once = new RunOnce();
    once.refuseIssuedBefore(NOW);
    expect(once.admit('a', NOW - 1, NOW + 1)).toBe('record_incomplete');
    expect(once.admit('a', NOW, NOW + 1)).toBe('run');
  });

  it('never lowers that time again', () => {
    const once = new RunOnce();
    once.refuseIssuedBefore(NOW);
    once.refuseIssuedBefore(NOW - 5000);
    expect(once.admit('a', NOW - 1, NOW + 1)).toBe('record_incomplete');
  });

  it('still knows in doubt what it does know', () => {
    const once = new RunOnce();
    once.refuseIssuedBefore(NOW);
    once.restore('a', 'finished', UNTIL);
    expect(once.admit('a', NOW - 1, NOW + 1)).toBe('finished');
  });

  it('forgets a request after its own end, and not at it', () => {
    const once = new RunOnce();
    once.started('a', UNTIL);
    once.finished('a');
    once.expire(UNTIL);
    expect(once.size).toBe(1);
    once.expire(UNTIL + 1);
    expect(once.size).toBe(0);
  });

  it('does not forget what is running here, however long that takes', () => {
    const once = new RunOnce();
    once.started('a', UNTIL);
    once.restore('b', 'started', UNTIL);
    once.expire(UNTIL + 1);
    expect(once.admit('a', NOW, NOW + 1)).toBe('running');
    expect(once.entries()).toEqual([{ digest: 'a', state: 'started', until: UNTIL }]);
  });

  it('refuses what may be one that it has forgotten, when a clock is set back', () => {
    const once = new RunOnce();
    for (const [digest, until] of [
      ['a', UNTIL],
      ['b', UNTIL - 1],
    ] as const) {
      once.started(digest, until);
      once.finished(digest);
    }
    once.expire(UNTIL + 1);
    expect(once.admit('a', NOW, UNTIL)).toBe('record_incomplete');
    expect(once.admit('b', NOW, UNTIL - 1)).toBe('record_incomplete');
  });

  it('admits what ends later than all that it has forgotten, however far a clock was ahead meanwhile', () => {
    const once = new RunOnce();
    once.expire(NOW + 3_600_000);
    expect(once.admit('a', NOW, UNTIL)).toBe('run');
    once.started('a', UNTIL);
    once.finished('a');
    once.expire(NOW + 3_600_000);
    expect(once.admit('b', NOW + 1, UNTIL + 1)).toBe('run');
  });

  it('tells up to when it has forgotten, and takes over the same of a record before it', () => {
    const once = new RunOnce();
    expect(once.forgottenUntil).toBe(0);
    once.forgotUntil(UNTIL);
    once.forgotUntil(UNTIL - 1);
    expect(once.admit('a', NOW, UNTIL)).toBe('record_incomplete');
    expect(once.admit('a', NOW, UNTIL + 1)).toBe('run');
    once.started('b', UNTIL + 5);
    once.finished('b');
    once.expire(UNTIL + 6);
    expect(once.forgottenUntil).toBe(UNTIL + 5);
  });

  it('gives all that a fresh record must hold', () => {
    const once = new RunOnce();
    once.restore('a', 'finished', UNTIL);
    once.started('b', UNTIL + 1);
    expect(once.entries()).toEqual([
      { digest: 'a', state: 'finished', until: UNTIL },
      { digest: 'b', state: 'started', until: UNTIL + 1 },
    ]);
  });
});
