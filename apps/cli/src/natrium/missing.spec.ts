/** Rules of ids that nobody has, which whoever typed or pasted them finds in what is said. */
import { ScriptedIo } from '../testing/scripted-io.js';
import { liveLine } from './live-line.js';
import { sayUnknown, unknownId } from './missing.js';
import { summaryText } from './summary.js';

it.each([
  ['a\u001b[2J', 'a?[2J'],
  ['a\u009b2J', 'a?2J'],
  ['a\u202ez', 'a?z'],
  ['web-1.é', 'web-1.é'],
])('what a terminal would obey in a listed id is shown as in a result: %j', (id, shown) => {
  const io = new ScriptedIo();
  sayUnknown([id], io);
  expect(io.stderr).toBe(`${shown}: No accepted minion has this id.\n`);
  const counts = { returned: 1, failed: [], missing: [unknownId(id)] };
  expect(summaryText(counts, true)).toContain(`\nMinions not connected: ${shown}\n`);
  const progress = { asked: 2, returned: 1, missing: [unknownId(id)], seconds: 1 };
  expect(liveLine(progress, 80)).toBe(`1/2 returned · missing: ${shown} (no such minion)`);
});
