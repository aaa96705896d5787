/** The block that `--summary` appends. */
import { disarm } from '@natrium/output';
import type { Missing } from './missing.js';

export interface Counts {
  readonly returned: number;
  readonly failed: readonly string[];
  readonly missing: readonly Missing[];
}

const RULE = '-------------------------------------------';

export function summaryText({ returned, failed, missing }: Counts, verbose: boolean): string {
  const lines = [
    `# of minions targeted: ${String(returned + missing.length)}`,
    `# of minions returned: ${String(returned)}`,
    `# of minions that did not return: ${String(missing.length)}`,
    `# of minions with errors: ${String(failed.length)}`,
    ...(verbose ? namesOf(failed, missing) : []),
  ];
  return ['', '', RULE, 'Summary', RULE, ...lines, RULE, ''].join('\n');
}

function namesOf(failed: readonly string[], missing: readonly Missing[]): readonly string[] {
  const gone = missing.filter(({ why }) => why === 'not_connected' || why === 'unknown_id').map(({ id }) => id);
  const silent = missing.map(({ id }) => id).filter((id) => !gone.includes(id));
  const named: readonly (readonly [string, readonly string[]])[] = [
    ['Minions not connected', gone],
    ['Minions not responding', silent],
    ['Minions with failures', failed],
  ];
  return named.filter(([, ids]) => ids.length > 0).map(([title, ids]) => `${title}: ${disarm(ids.join(' '))}`);
}
