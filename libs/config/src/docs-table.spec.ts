/** `UPDATE_DOCS=1` writes the file instead of comparing it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { docsOf } from './check.js';
import { configurationDocs } from './docs-table.js';
import { MasterConfig } from './master-config.js';
import { MinionConfig } from './minion-config.js';

const FILE = new URL('../../../docs/configuration.md', import.meta.url);

it('docs/configuration.md is what the schemas say (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, configurationDocs());
  expect(readFileSync(FILE, 'utf8')).toBe(configurationDocs());
});

it('each key is documented once in each file, with what it takes', () => {
  const rows = configurationDocs()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(60);
  for (const row of rows)
    expect(
      row
        .replaceAll('\\|', '')
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1)
        .every((cell) => cell !== ''),
    ).toBe(true);
});

describe('a documented key', () => {
  const src = (folder: string) => fileURLToPath(new URL(`../../../${folder}`, import.meta.url));
  const SCHEMAS = /^libs\/config\/src\/(?:[a-z]+-keys|key-doc|master-config|minion-config)\.ts$/;
  /** What runs on a minion; all else is the master's. */
  const OF_MINION =
    /^(?:apps\/minion-agent|libs\/modules|libs\/config\/src\/load-minion\.ts|apps\/cli\/src\/link\/connect-agent)/;
  /** Shows keys, and does nothing with them. */
  const SHOWS = 'apps/runner-service/src/shown-config.ts';
  const SAID = /^(?:Refused:|Has no effect:|Taken as it stands, without effect:)/;

  const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g;
  /** A text that a person reads. */
  const SENTENCE = /(['"`])[^'"`\n]* [^'"`\n]*\1/g;

  /** The words of the programs' code. */
  function wordsOf(wanted: (file: string) => boolean): ReadonlySet<string> {
    const files = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(src(folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    );
    const ours = files.filter((file) => /^[^/]+\/[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(file) && !SCHEMAS.test(file));
    const code = ours.filter(wanted).map((file) => readFileSync(src(file), 'utf8'));
    return new Set(code.flatMap((text) => text.replace(COMMENT, '').replace(SENTENCE, '').match(/\w+/g) ?? []));
  }

  it.each([
    ['master', MasterConfig, (file: string) => !OF_MINION.test(file) && file !== SHOWS],
    ['minion', MinionConfig, (file: string) => !file.startsWith('apps/') || OF_MINION.test(file)],
  ] as const)(
    'of the %s file is read by a program there, or says that nothing comes of it',
    (_name, schema, wanted) => {
      const words = wordsOf(wanted);
      const unread = [...docsOf(schema)].filter(([key, { doc }]) => !words.has(key) && !SAID.test(doc));
      expect(unread.map(([key]) => key)).toEqual([]);
    },
  );
});
