/** nx keeps what a project has built only where its outputs are named: without them a fresh clone may lack a program. */
import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from './programs.mjs';

interface Build {
  readonly filter?: { readonly projects: readonly string[] };
  readonly outputs?: readonly string[];
}

it.each(readdirSync(inRoot('apps')))('nx knows where %s is built', (app) => {
  const { targetDefaults } = JSON.parse(readFileSync(inRoot('nx.json'), 'utf8')) as {
    readonly targetDefaults: { readonly build: readonly Build[] };
  };
  const row = targetDefaults.build.find(({ filter }) => filter?.projects.includes(`@natrium/${app}`));
  expect(row?.outputs).toEqual([`{workspaceRoot}/dist/${app}`]);
});

it('nx builds anew when what builds has changed', () => {
  const { namedInputs } = JSON.parse(readFileSync(inRoot('nx.json'), 'utf8')) as {
    readonly namedInputs: { readonly how: readonly unknown[] };
  };
  const parts = new Set<string>(['build.mjs', 'keep-compiled.cjs', 'start-program.cjs']);
  for (const part of parts) {
    const named = readFileSync(inRoot(`tools/${part}`), 'utf8').matchAll(/from '\.\/([\w-]+\.mjs)'/g);
    for (const [, name = ''] of named) parts.add(name);
  }
  expect(parts.size).toBe(7);
  expect(namedInputs.how).toEqual(expect.arrayContaining([...parts].map((part) => `{workspaceRoot}/tools/${part}`)));
});
