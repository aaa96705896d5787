/** Pillar: static data for each minion, from `top.sls` and the YAML files that it names. What it can do: docs/pillar.md. */
export { compilePillar, type CompiledPillar } from './compile-pillar.js';
export type { PillarFiles, PillarProblem, PillarText } from './pillar-files.js';
export { SLS_WORD } from './sls-name.js';
