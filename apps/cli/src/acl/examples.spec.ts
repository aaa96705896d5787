/**
 * The reports of docs/examples and every example of docs/access-control.md are what the commands print.
 *
 * `UPDATE_EXAMPLES=1` writes them anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNatriumctl } from '../natriumctl/run-ctl.js';
import { ScriptedIo } from '../testing/scripted-io.js';

const DOCS = join(dirname(fileURLToPath(import.meta.url)), '../../../../docs');
const IS_WRITING = process.env['UPDATE_EXAMPLES'] === '1';
const OVER = '--inventory docs/examples/inventory.yaml';

const ports = { up: nothing, init: nothing, fingerprint: nothing };

function nothing(): Promise<number> {
  return Promise.resolve(0);
}

/** What a command prints, paths as seen from the root of the repository. */
async function printed(line: string): Promise<string> {
  const io = new ScriptedIo();
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  // Other subcommands are not asked for.
  const exit = await runNatriumctl(words.slice(1), io, ports as never);
  return `${io.stdout}${io.stderr}[exit ${exit}]\n`;
}

describe('docs/examples', () => {
  it.each([
    ['lint.txt', `natriumctl acl lint docs/examples/master ${OVER}`],
    ['lint-slips.txt', `natriumctl acl lint docs/examples/slips ${OVER}`],
    ['test.txt', 'natriumctl acl test docs/examples/policy.test.yaml'],
    ['diff.txt', `natriumctl acl diff docs/examples/master docs/examples/master-next ${OVER}`],
    [
      'diff-audit.txt',
      `natriumctl acl diff docs/examples/master docs/examples/master-next ${OVER} --audit docs/examples/audit.jsonl`,
    ],
  ])('%s is what the command prints', async (name, line) => {
    const file = join(DOCS, 'examples', name);
    const report = `$ ${line}\n${await printed(line)}`;
    if (IS_WRITING) writeFileSync(file, report);
    expect(readFileSync(file, 'utf8')).toBe(report);
  });
});

describe('docs/access-control.md', () => {
  it('shows what the commands print', async () => {
    const file = join(DOCS, 'access-control.md');
    const text = readFileSync(file, 'utf8');
    const parts: string[] = [];
    let end = 0;
    for (const block of text.matchAll(/```console\n([\s\S]*?)```/g)) {
      const lines = (block[1] ?? '').split('\n').filter((line) => line.startsWith('$ natriumctl acl '));
      const shown = await Promise.all(lines.map(async (line) => `${line}\n${await printed(line.slice(2))}`));
      parts.push(text.slice(end, block.index), `\`\`\`console\n${shown.join('')}\`\`\``);
      end = block.index + block[0].length;
    }
    const written = [...parts, text.slice(end)].join('');
    expect(parts.length).toBeGreaterThan(10);
    if (IS_WRITING) writeFileSync(file, written);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });
});
