/** Rules of the line that says how far reading the audit is. */
import { ScriptedIo } from '../testing/scripted-io.js';
import { AuditStatus } from './audit-status.js';

const ERASE = '\r\u001b[K';

function reading(tty: boolean) {
  const io = new ScriptedIo({ tty, columns: 24 });
  return { io, status: new AuditStatus(io) };
}

it('says how many records were read, then that they are verified, and is gone at the end', () => {
  const { io, status } = reading(true);
  status.read(1000);
  status.read(500);
  io.pass(250);
  status.read(500);
  status.verifies();
  io.pass(250);
  status.ended();
  expect(io.stderr).toBe(`${ERASE}1500 records read${ERASE}verifying 2000 records${ERASE}`);
  expect(io.stdout).toBe('');
});

it('does not show when it is quick', () => {
  const { io, status } = reading(true);
  status.read(1000);
  status.verifies();
  status.ended();
  expect(io.stderr).toBe('');
});

it('shows on a terminal only, and no wider than that', () => {
  const narrow = reading(true);
  narrow.status.read(123_456_789_012);
  narrow.io.pass(250);
  expect(narrow.io.stderr).toBe(`${ERASE}123456789012 records re`);
  const piped = reading(false);
  piped.status.read(1000);
  piped.io.pass(250);
  piped.status.verifies();
  piped.status.ended();
  expect(piped.io.stderr).toBe('');
});
