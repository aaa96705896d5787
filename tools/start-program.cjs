/**
 * Starts a program that lies beside this file, `NAME.cjs`, with what V8 compiled of it when it was built (tools/startable.mjs): a command's first line
 * would come a third later. Node's own compile cache does that from Node 22 on only, and writes while programs run, where their user may write; whoever
 * may write this one may write the program.
 *
 * V8 itself refuses what another version of it has compiled, or one with other flags; it compiles then, as it would without. It does not see that it is
 * of another program of the same length, for another processor, or by another distribution's Node of the same version: hence what was compiled ends with a
 * mark, which says that.
 */
const { readFileSync, statSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** With so much of a hash of itself does a program end. */
const HASH_LENGTH = 16;

const programFile = (folder, name) => join(folder, `${name}.cjs`);
const compiledFile = (folder, name) => join(folder, `${name}.v8`);

function markOf(source) {
  const node = [process.version, process.arch, statSync(process.execPath).size];
  return Buffer.from(['', source.slice(-HASH_LENGTH), ...node].join(' '));
}

/** @returns undefined when nothing is there that was compiled of this program for this Node. */
function readCompiled(file, mark) {
  try {
    const bytes = readFileSync(file);
    return bytes.subarray(-mark.length).equals(mark) ? bytes.subarray(0, -mark.length) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns The script, the mark of what V8 compiles of it, and `run`, which returns what the program exports. */
function compileProgram(folder, name) {
  const filename = programFile(folder, name);
  const source = readFileSync(filename, 'latin1');
  const mark = markOf(source);
  const script = new Script(wrap(source), { filename, cachedData: readCompiled(compiledFile(folder, name), mark) });
  const run = () => {
    const module = { exports: {} };
    script.runInThisContext()(module.exports, createRequire(filename), module, filename, folder);
    return module.exports;
  };
  return { script, mark, run };
}

/**
 * Whom else to trust, where whoever started this has set it aside under another name: at each start Node 20 reads what `NODE_EXTRA_CA_CERTS` names and
 * its own list with it, which takes longer than a whole command (85 ms of processor time; from Node 22 on they are read when they are needed). Here they
 * are read for the first connection that goes by the host's list; and what this process starts finds the variable as it was.
 */
function trustWhomWasSetAside() {
  const { NATRIUM_EXTRA_CA_CERTS: file, NODE_EXTRA_CA_CERTS: given } = process.env;
  delete process.env.NATRIUM_EXTRA_CA_CERTS;
  if (file === undefined || given !== undefined) return;
  process.env.NODE_EXTRA_CA_CERTS = file;
  const tls = require('node:tls');
  const { createSecureContext } = tls;
  let authorities;
  tls.createSecureContext = (options = {}) => {
    const made = createSecureContext(options);
    if (options.ca !== undefined) return made;
    // Beside whatever Node's own options say that the host's list is, which no list of certificates tells.
    authorities ??= readAuthorities(file);
    for (const pem of authorities) made.context.addCACert(pem);
    return made;
  };
}

function readAuthorities(file) {
  try {
    return [readFileSync(file)];
  } catch (error) {
    process.emitWarning(`Ignoring extra certs from \`${file}\`: ${error.message}`); // as Node does
    return [];
  }
}

/** @returns What the program exports: `ended`, a promise. Where Node is told to follow source maps, it does so in what it has loaded itself. */
function startProgram(name) {
  trustWhomWasSetAside();
  return process.sourceMapsEnabled ? require(`./${name}.cjs`) : compileProgram(__dirname, name).run();
}

module.exports = { HASH_LENGTH, compiledFile, compileProgram, startProgram };
