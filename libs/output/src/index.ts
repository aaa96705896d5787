export { json, plainJson, printableJson } from './json.js';
export { yaml } from './yaml.js';
export { type Outputter } from './outputter.js';
export { outputter, outputterNames, wantsAll } from './registry.js';
export { disarm, printableLines } from './lines.js';
