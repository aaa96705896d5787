/** Rules of the run-once record on disk: nothing runs twice, whatever happened to the agent, the host or the file. */
import { jest } from '@jest/globals';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { writeWhole } from '@natrium/keystore';
import { FakeClock } from '@natrium/testing';
import { beginRecord, type RecordOptions, RunRecord } from './run-record.js';

const NOW = 1_795_000_000_000;
const UNTIL = NOW + 65_000;
const JID = '20261120141646000001';
const digestOf = (n: number) => n.toString(16).padStart(64, '0');
const [A, B, C] = [digestOf(1), digestOf(2), digestOf(3)] as const;

let root: string;
let folder: string;
let clock: FakeClock;
let problems: string[];
beforeAll(sodiumReady);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nt-record-'));
  folder = join(root, 'record');
  clock = new FakeClock(NOW);
  problems = [];
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const path = () => join(folder, 'run-once');
const text = () => readFileSync(path(), 'utf8');

const options = (): RecordOptions => ({
  folder,
  bootId: 'boot-1',
  now: clock.now,
  onProblem: (problem) => problems.push(problem),
});

interface Start extends Partial<RecordOptions> {
  /** The identity was made just now. */
  readonly fresh?: boolean;
}

/** The agent starts; in doubt it refuses what was issued before now. */
function start({ fresh = false, ...change }: Start = {}): RunRecord {
  if (fresh) beginRecord(folder);
  const record = new RunRecord({ ...options(), ...change });
  if (record.doubt !== undefined) record.refuseIssuedBefore(clock.now());
  return record;
}

function aRecordThatRan(): void {
  const record = start({ fresh: true });
  record.start(A, UNTIL, JID);
  record.finish(A);
  record.start(B, UNTIL, JID);
  record.close();
}

describe('the run-once record', () => {
  it('of a fresh identity is complete', () => {
    const record = start({ fresh: true });
    expect([record.doubt, record.unfinished]).toEqual([undefined, []]);
    expect(record.admit(A, NOW - 60_000, UNTIL)).toBe('run');
  });

  it('of an identity that was let in after its agent and its host were started again is complete', () => {
    beginRecord(folder);
    const record = start({ bootId: 'boot-2' });
    expect([record.doubt, record.admit(A, NOW - 60_000, UNTIL)]).toEqual([undefined, 'run']);
  });

  it('that was opened once is in doubt after another start of the host, and when it is lost', () => {
    for (const spoil of [() => undefined, () => rmSync(path())]) {
      start({ fresh: true }).close();
      spoil();
      const record = start({ bootId: 'boot-2' });
      expect(record.doubt).toBeDefined();
      expect(record.admit(A, NOW - 1, UNTIL)).toBe('record_incomplete');
      rmSync(path());
    }
  });

  it('of a new identity leaves what is there of an earlier one', () => {
    aRecordThatRan();
    expect(start({ fresh: true }).admit(A, NOW, UNTIL)).toBe('finished');
  });

  it('is its owner’s alone', () => {
    start({ fresh: true }).start(A, UNTIL, JID);
    expect([statSync(path()).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('is on disk before the run', () => {
    start({ fresh: true }).start(A, UNTIL, JID);
    expect(text()).toMatch(new RegExp(`^started ${A} ${UNTIL} ${JID} [0-9a-f]{8}$`, 'm'));
  });

  it('knows after a restart what ran and what was interrupted, and runs neither', () => {
    aRecordThatRan();
    const record = start();
    expect(record.doubt).toBeUndefined();
    expect([record.admit(A, NOW, UNTIL), record.admit(B, NOW, UNTIL), record.admit(C, NOW, UNTIL)]).toEqual([
      'finished',
      'interrupted',
      'run',
    ]);
    expect(record.unfinished).toEqual([{ digest: B, jid: JID }]);
  });

  it('calls a run begun until its return is stored, so that one whose spool is lost is told as interrupted', () => {
    const record = start({ fresh: true });
    for (const digest of [A, B]) {
      record.start(digest, UNTIL, JID);
      record.ran(digest);
    }
    record.finish(A);
    expect(record.admit(B, NOW, UNTIL)).toBe('finished');
    record.close();
    expect(start().unfinished).toEqual([{ digest: B, jid: JID }]);
  });

  it('knows it after many restarts', () => {
    aRecordThatRan();
    for (let n = 0; n < 3; n += 1) start().close();
    expect([start().admit(A, NOW, UNTIL), start().admit(B, NOW, UNTIL)]).toEqual(['finished', 'interrupted']);
  });

  it('remembers at rest only what a party could still accept', () => {
    const record = start({ fresh: true });
    record.start(A, NOW + 1000, JID);
    record.finish(A);
    record.start(B, NOW + 2000, JID);
    record.finish(B);
    expect(record.forgetEnded()).toBe(2);
    clock.advance(1001);
    expect(record.forgetEnded()).toBe(1);
    expect(record.admit(B, NOW, UNTIL)).toBe('finished');
  });

  it('tells of what was begun also when its request has ended meanwhile, and then forgets it', () => {
    const record = start({ fresh: true });
    record.start(A, UNTIL, JID);
    clock.advance(65_001);
    for (const bootId of ['boot-1', 'boot-2']) {
      const again = new RunRecord({ ...options(), bootId });
      expect([bootId, again.unfinished]).toEqual([bootId, [{ digest: A, jid: JID }]]);
      again.close();
      if (bootId === 'boot-1') start({ fresh: true }).start(A, UNTIL, JID);
    }
  });

  it('lets nothing run again that it has forgotten, when the clock of the host is set back', () => {
    aRecordThatRan();
    const record = start();
    clock.advance(65_001);
    record.forgetEnded();
    clock.advance(-65_001);
    expect(record.admit(A, NOW, UNTIL)).toBe('record_incomplete');
    expect(record.admit(C, NOW + 65_001, UNTIL + 65_001)).toBe('run');
  });

  it('lets it not run after restarts either, that came while the clock was ahead', () => {
    aRecordThatRan();
    clock.advance(65_001);
    for (let n = 0; n < 2; n += 1) start().close();
    clock.advance(-65_001);
    const record = start();
    expect([record.doubt, record.admit(A, NOW, UNTIL)]).toEqual([undefined, 'record_incomplete']);
    expect(record.admit(C, NOW + 1, UNTIL + 1)).toBe('run');
  });

  it('forgets what no party accepts any more', () => {
    aRecordThatRan();
    clock.advance(65_001);
    start().close();
    expect(text()).not.toContain(A);
    expect(text()).not.toContain(B);
  });
});

/** Each way to lose a line, and what the agent says of it. */
const LOSSES: readonly (readonly [string, () => Partial<RecordOptions>])[] = [
  ['a lost file', () => (rmSync(path()), {})],
  ['an empty file', () => (writeFileSync(path(), ''), {})],
  ['a torn line', () => (writeFileSync(path(), text().slice(0, -20)), {})],
  ['a line with an edited letter', () => (writeFileSync(path(), text().replace(`started ${B}`, `started ${C}`)), {})],
  ['a lost first line', () => (writeFileSync(path(), text().split('\n').slice(1).join('\n')), {})],
  ['rubbish at the end', () => (appendFileSync(path(), 'rubbish'), {})],
  ['a power loss', () => ({ bootId: 'boot-2' })],
];

describe('a record that may lack something', () => {
  it.each(LOSSES)('refuses what was issued before: %s', (_about, lose) => {
    aRecordThatRan();
    const record = start(lose());
    expect(record.doubt).toBeDefined();
    expect(record.admit(digestOf(9), NOW - 1, UNTIL)).toBe('record_incomplete');
    expect(record.admit(digestOf(9), NOW, UNTIL)).toBe('run');
  });

  it.each(LOSSES)('goes on refusing it after another restart: %s', (_about, lose) => {
    aRecordThatRan();
    const lost = lose();
    start(lost).close();
    clock.advance(1000);
    const again = start(lost);
    expect(again.admit(digestOf(9), NOW - 1, UNTIL)).toBe('record_incomplete');
    expect(again.admit(digestOf(9), NOW + 1000, UNTIL)).toBe('run');
  });

  it.each(LOSSES)('is still in doubt when the agent died before it knew the time: %s', (_about, lose) => {
    aRecordThatRan();
    const lost = { ...options(), ...lose() };
    new RunRecord(lost).close();
    expect(new RunRecord(lost).doubt).toBeDefined();
  });

  it('still knows the lines that are whole', () => {
    aRecordThatRan();
    writeFileSync(path(), text().slice(0, -20));
    expect(start().admit(A, NOW, UNTIL)).toBe('finished');
  });

  it('refuses what was issued before the latest time that it was told, also after a restart', () => {
    const record = start({ fresh: true });
    for (const ms of [NOW, NOW - 1000]) record.refuseIssuedBefore(ms);
    record.close();
    for (const one of [record, start()])
      expect([NOW - 1, NOW].map((issued) => one.admit(C, issued, UNTIL))).toEqual(['record_incomplete', 'run']);
  });

  it('is damaged where that time was edited', () => {
    start({ fresh: true }).refuseIssuedBefore(NOW);
    writeFileSync(path(), text().replace(`before ${NOW}`, `before ${NOW - 1000}`));
    const record = start();
    expect(record.doubt).toBe('the run-once record is damaged');
    expect(record.admit(C, NOW - 1, UNTIL)).toBe('record_incomplete');
  });

  it('is no longer called doubtful once it was written anew', () => {
    aRecordThatRan();
    rmSync(path());
    start().close();
    expect(start().doubt).toBeUndefined();
  });
});

describe('a record that cannot be written', () => {
  it('lets nothing run', () => {
    const record = start({ fresh: true });
    record.close();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'not a folder');
    expect(record.start(A, UNTIL, JID)).toBe(false);
    expect(record.start(B, UNTIL, JID)).toBe(false);
    expect(record.admit(A, NOW, UNTIL)).toBe('run');
    expect(problems).toEqual([expect.stringContaining(`nothing runs on this minion: ${path()} cannot be written`)]);
  });

  it('that is not a file lets nothing run', () => {
    const record = start({ fresh: true });
    record.close();
    rmSync(path());
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
    expect(record.start(A, UNTIL, JID)).toBe(false);
  });

  it('because the disk took a part of a line is as it was before that line, and read so at the next start', () => {
    let room = Infinity;
    const write = (file: number, bytes: Uint8Array) => writeSync(file, bytes.subarray(0, room));
    const record = start({ fresh: true, write });
    record.start(A, UNTIL, JID);
    const before = text();
    room = 20;
    expect(record.start(B, UNTIL, JID)).toBe(false);
    expect(text()).toBe(before);
    record.close();
    const again = start();
    expect([again.doubt, again.admit(A, NOW, UNTIL), again.admit(B, NOW, UNTIL)]).toEqual([undefined, 'interrupted', 'run']); // prettier-ignore
  });

  it('and can be written again lets the next one run', () => {
    const record = start({ fresh: true });
    record.close();
    rmSync(folder, { recursive: true });
    expect(record.start(A, UNTIL, JID)).toBe(false);
    expect(record.start(B, UNTIL, JID)).toBe(true);
    expect(problems.slice(1)).toEqual(['the run-once record can be written again: jobs run']);
    record.close();
    const again = start();
    expect([again.doubt, again.admit(B, NOW, UNTIL)]).toEqual([undefined, 'interrupted']);
  });
});

describe('a file that cannot even be closed', () => {
  /** As a disk on another host, which may say only then that it took nothing. */
  function closedMeanwhile() {
    let fails = true;
    const write = (file: number, bytes: Uint8Array) => {
      if (!fails) return writeSync(file, bytes);
      closeSync(file);
      throw new Error('EIO');
    };
    return { write, mend: () => (fails = false) };
  }

  it('lets nothing run, and the next one as soon as it can be written anew', () => {
    const { write, mend } = closedMeanwhile();
    const record = start({ fresh: true, write });
    expect(record.start(A, UNTIL, JID)).toBe(false);
    mend();
    expect(record.start(B, UNTIL, JID)).toBe(true);
    record.close();
    expect(start().unfinished).toEqual([{ digest: B, jid: JID }]);
  });

  it('ends the record all the same, which is written anew then', () => {
    const { write, mend } = closedMeanwhile();
    mend();
    let opened = -1;
    const record = start({ fresh: true, write: (file, bytes) => ((opened = file), write(file, bytes)) });
    record.start(A, UNTIL, JID);
    closeSync(opened);
    truncateSync(path()); // so it took nothing
    record.close();
    expect(start().unfinished).toEqual([{ digest: A, jid: JID }]);
  });
});

describe('compaction', () => {
  it('that fails is tried again after a minute, not after each run; jobs run meanwhile', () => {
    let [isFull, tries] = [false, 0];
    const writeAnew: typeof writeWhole = (...what) => {
      tries += 1;
      if (isFull) throw new Error('ENOSPC');
      writeWhole(...what);
    };
    const record = start({ fresh: true, writeAnew });
    const runs = (from: number, count: number) => {
      const begun = Array.from({ length: count }, (_, n) => record.start(digestOf(from + n), NOW - 1, JID));
      for (let n = 0; n < count; n += 1) record.finish(digestOf(from + n));
      return begun.every((is) => is);
    };
    runs(10, 9990);
    [isFull, tries] = [true, 0];
    // What is there takes lines; another file finds no room.
    for (let n = 0; n < 40; n += 1) expect(runs(10_000 + n, 1)).toBe(true);
    expect(tries).toBe(1);
    isFull = false;
    const uptime = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    runs(20_000, 1);
    uptime.mockRestore();
    expect(text().split('\n').length).toBeLessThan(20);
  });

  it('keeps what counts and drops the rest', () => {
    const record = start({ fresh: true });
    record.start(A, UNTIL, JID);
    for (let n = 10; n < 10_020; n += 1) {
      record.start(digestOf(n), NOW - 1, JID);
      record.finish(digestOf(n));
    }
    expect(text().split('\n').length).toBeLessThan(200);
    expect(text()).toContain(A);
    record.finish(A);
    record.close();
    const again = start();
    expect([again.doubt, again.admit(A, NOW, UNTIL)]).toEqual([undefined, 'finished']);
  });
});
