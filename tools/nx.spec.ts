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
