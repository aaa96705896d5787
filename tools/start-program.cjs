/**
 * Starts a program that lies beside this file, `NAME.cjs`, with what V8 compiled of it when it was built (tools/startable.mjs): a command's first line
 * would come a third later. Node's own compile cache does that from Node 22 on only, and writes while programs run, where their user may write; whoever
 * may write this one may write the program.
 *
 * V8 itself refuses what another version of it has compiled, or one with other flags; it compiles then, as it would without.
 */
const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** V8 compares no more than the length of a text: hence the name of what was compiled holds a hash, with which its program ends. */
const HASH_LENGTH = 16;

const programFile = (folder, name) => join(folder, `${name}.cjs`);
const readProgram = (folder, name) => readFileSync(programFile(folder, name), 'latin1');

/** @returns Where that is which V8 has compiled of this very program. */
function compiledFile(folder, name, source = readProgram(folder, name)) {
  return join(folder, `${name}.${source.slice(-HASH_LENGTH)}.v8`);
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** @returns The script, and `run`, which returns what the program exports. */
function compileProgram(folder, name) {
  const filename = programFile(folder, name);
  const source = readProgram(folder, name);
  const script = new Script(wrap(source), {
    filename,
    cachedData: readIfThere(compiledFile(folder, name, source)),
  });
  const run = () => {
    const module = { exports: {} };
    script.runInThisContext()(module.exports, createRequire(filename), module, filename, folder);
    return module.exports;
  };
  return { script, run };
}

/** @returns What the program exports: `ended`, a promise. Where Node is told to follow source maps, it does so in what it has loaded itself. */
function startProgram(name) {
  return process.sourceMapsEnabled ? require(`./${name}.cjs`) : compileProgram(__dirname, name).run();
}

module.exports = { HASH_LENGTH, compiledFile, compileProgram, startProgram };
