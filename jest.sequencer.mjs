/**
 * Tests with real processes take longest. Where no run before is known jest begins with the largest file, and a short one that
 * starts processes, begun last, keeps one worker busy while the others have nothing to do.
 */
import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const WITH_PROCESSES = new Set(['tests', 'compat']);

const isLong = ({ path, context }) => WITH_PROCESSES.has(relative(context.config.rootDir, path).split(sep)[0]);

export default class ProcessesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
