/** Salt's argument words and the YAML dialect of its users. Pure: js-yaml and the model only. */
export { parseCommandLine, splitList } from './command-line.js';
export { splitFunctions, wordsByFunction } from './functions.js';
export { type LoadedYaml, loadYaml, readDocument } from './load-yaml.js';
export { type Path } from './places.js';
export { BLANK, splitAtSpace } from './python-space.js';
export { jidAsText, parseNamedWord, parsePeerArguments, parseWords, publishArguments } from './words.js';
export { staysText, yamlify } from './yamlify.js';
