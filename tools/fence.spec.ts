/**
 * The fence is seen to bite: for each project a file of imports that no arrow allows is linted with the real
 * configuration, and every line has an error; a file of those that it may import has none.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import config from '../eslint.config.mjs';
import { fence } from './fence.mjs';
import { root } from './programs.mjs';

interface Arrows {
  readonly may: '*' | readonly string[];
  readonly packages: readonly string[];
  readonly node?: boolean;
  readonly lazy?: boolean;
}

const table = Object.entries(fence as Readonly<Record<string, Arrows>>);
const fenceRuleIds = new Set([
  'no-restricted-imports',
  'no-restricted-syntax',
  'no-restricted-globals',
  'no-restricted-properties',
]);
const example = (pattern: string) => pattern.replace('*', 'some-package');
const everyProject = table.map(([project]) => project.split('/')[1] ?? '');
const everyPackage = [...new Set(table.flatMap(([, { packages }]) => packages.map(example)))];

/** What the configuration says besides says nothing of the fence, and would take most of the time. */
const real = [...config, tseslint.configs.disableTypeChecked];
const others = real.flatMap(({ rules = {} }) => Object.keys(rules)).filter((id) => !fenceRuleIds.has(id));
const fenceAlone = [...real, { rules: Object.fromEntries(others.map((id) => [id, 'off' as const])) }];
const linter = new Linter({ cwd: root });

/** The lines of `source` on which the fence reports an error; a file that does not parse reports none of them. */
function bitten(file: string, source: readonly string[]): number[] {
  const messages = linter.verify(source.join('\n'), fenceAlone, { filename: join(root, file) });
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return [...new Set(messages.filter(({ ruleId }) => fenceRuleIds.has(ruleId ?? '')).map(({ line }) => line))].sort(
    (a, b) => a - b,
  );
}

const everyLine = (source: readonly string[]) => source.map((_, index) => index + 1);
const importOf = (name: string, index: number) => `import { it as it${String(index)} } from '${name}';`;
const unless = (condition: boolean | undefined, ...lines: string[]) => (condition ? [] : lines);

function forbiddenIn({ may, packages, node, lazy }: Arrows): string[] {
  const projects =
    may === '*' ? [] : everyProject.filter((name) => !may.includes(name)).map((name) => `@natrium/${name}`);
  const others = everyPackage.filter((name) => !packages.map(example).includes(name));
  return [
    ...[...projects, ...others, 'lodash', 'fs', 'nats', '@natrium/model/src/jid.js'].map(importOf),
    `export * from 'lodash';`,
    `export { a } from 'lodash';`,
    `import type { B } from 'lodash';`,
    `import 'lodash';`,
    `import { c } from '../../model/src/jid.js';`,
    `import { d } from '../../../libs/model/src/index.js';`,
    `import { e } from 'node:module';`,
    `import f = require('lodash');`,
    `export type G = import('lodash').Lodash;`,
    `export const h = await import('lodash');`,
    `export const i = await import('@natrium/model');`,
    `export const j = await import(\`lodash\`);`,
    `export const t = await import('../../../libs/model/src/index.js');`,
    ...unless(lazy, `export const k = await import('./own.js');`),
    ...unless(
      node,
      `import { l } from 'node:fs';`,
      `export const m = Date.now();`,
      `export const n = new Date();`,
      `export const o = Math.random();`,
      `export const p = process.env;`,
      `setTimeout(() => undefined, 1);`,
    ),
  ];
}

function allowedIn({ may, packages, node, lazy }: Arrows): string[] {
  const projects = (may === '*' ? everyProject : may).map((name) => `@natrium/${name}`);
  return [
    ...[...projects, ...packages.map(example), './own.js', '../own.js'].map(importOf),
    ...unless(!node, `import { q } from 'node:fs';`, `export const r = new Date();`),
    ...unless(!lazy, `export const s = await import('./own.js');`),
  ];
}

describe.each(table)('the fence of %s', (project, arrows) => {
  it('refuses each import that no arrow allows', () => {
    const source = forbiddenIn(arrows);
    expect(bitten(`${project}/src/probe.ts`, source)).toEqual(everyLine(source));
  });

  it('lets each allowed import pass', () => {
    expect(bitten(`${project}/src/deep/probe.ts`, allowedIn(arrows))).toEqual([]);
  });

  it('lets a test import the test tools, and no more', () => {
    const tools = ['@natrium/testing', 'fast-check', 'node:fs'].map(importOf);
    expect(bitten(`${project}/src/probe.spec.ts`, [...tools, `import { a } from 'lodash';`])).toEqual([
      tools.length + 1,
    ]);
  });
});

describe('the table', () => {
  it('names every project, and nothing else', () => {
    const present = ['libs', 'apps'].flatMap((group) =>
      readdirSync(join(root, group))
        .filter((name) => existsSync(join(root, group, name, 'package.json')))
        .map((name) => `${group}/${name}`),
    );
    expect(table.map(([project]) => project).sort()).toEqual(present.sort());
  });

  it('lets a project that it does not name import nothing', () => {
    expect(bitten('libs/unknown/src/probe.ts', [`import { a } from '@natrium/model';`])).toEqual([1]);
  });
});
