/** The documentation of every key, as Markdown, from the schemas alone. */
import * as z from 'zod/mini';
import { docsOf } from './check.js';
import type { KeyDoc } from './key-doc.js';
import { MasterConfig } from './master-config.js';
import { MinionConfig } from './minion-config.js';

const INTRO = `# Configuration

<!-- Generated from libs/config/src/master-config.ts and minion-config.ts. Change it there. -->

A master reads \`DIR/master\` and \`DIR/master.d/*.conf\`, a minion \`DIR/minion\` and \`DIR/minion.d/*.conf\`; \`DIR\` is
\`/etc/natrium\`, or what \`-c\` names. The files are YAML as Salt reads it, so an existing file can be dropped in: keys that
only Salt has are set aside, each with a warning in the log at the start (\`mine_get\` and a minion's \`sudo_user\` and \`module_executors\`, which restrict somebody in Salt, and \`master_type: func\` stop it), any other key is an error with a suggestion. Every error names the
file, the line, the key, the reason and how to mend it. How files are merged and read: [spec/config.md](../spec/config.md).

Relative paths start at \`root_dir\`. A key without a value counts as not there. \`include\` and \`default_include\` name more
files, as in Salt. \`auth.ldap.*\` are read as in Salt. Logs go to the standard output ([Monitor](operations.md#monitor)); \`log_file\` is set aside.
`;

/** The whole of docs/configuration.md. */
export function configurationDocs(): string {
  return `${INTRO}\n## Master\n\n${tables(MasterConfig)}\n## Minion\n\n${tables(MinionConfig)}`;
}

function tables(schema: z.ZodMiniObject): string {
  const docs = [...docsOf(schema)];
  const groups = [...new Set(docs.map(([, { group }]) => group))];
  return groups
    .map((group) =>
      table(
        group,
        docs.filter(([, doc]) => doc.group === group),
        schema,
      ),
    )
    .join('\n');
}

function table(group: string, docs: readonly (readonly [string, KeyDoc])[], schema: z.ZodMiniObject): string {
  const rows = docs.map(
    ([key, doc]) => `| \`${key}\` | ${cell(doc.doc)} | ${cell(doc.takes)} | ${defaultOf(key, doc, schema)} |`,
  );
  return ['### ' + group, '', '| key | what it does | takes | default |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function defaultOf(key: string, doc: KeyDoc, schema: z.ZodMiniObject): string {
  if (doc.shown !== undefined) return cell(doc.shown);
  const field: unknown = schema.shape[key];
  const value: unknown = doc.path ?? (field instanceof z.ZodMiniType ? z.parse(field, undefined) : undefined);
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${cell(typeof value === 'string' ? value : JSON.stringify(value))}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}
