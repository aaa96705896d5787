/** Salt's argument words and the YAML dialect of its users. Pure: js-yaml and the model only. */
export {
  type CommandLine,
  type CommandLineOptions,
  parseCommandLine,
  splitList,
  type UsageError,
  type Wanted,
} from './command-line.js';
export { splitFunctions, wordsByFunction } from './functions.js';
export { type LoadedYaml, loadYaml, type YamlProblem } from './load-yaml.js';
export { type Path, type Place } from './places.js';
export { readYaml, withIndentation } from './read-yaml.js';
export { SALT_SCHEMA } from './schema.js';
export {
  jidAsText,
  type NamedWord,
  parseNamedWord,
  parsePeerArguments,
  parseWords,
  publishArguments,
  type WordOptions,
} from './words.js';
export { yamlify } from './yamlify.js';
