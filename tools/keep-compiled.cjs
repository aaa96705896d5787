/**
 * Runs a program as its user would, and keeps what V8 has compiled until it ends: `node FLAGS keep-compiled.cjs FOLDER NAME WORD…`. Most of a program is
 * compiled when it is called first, and would be missing from what is compiled before it runs.
 */
const { closeSync, fsyncSync, openSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [folder, name] = process.argv.splice(2, 2);
process.argv[1] = join(folder, `${name}.mjs`);
const { compiledFile, compileProgram } = require(join(folder, 'start-program.cjs'));
const { script, run } = compileProgram(folder, name);
process.on('exit', () => {
  const file = compiledFile(folder, name);
  // V8 believes what it reads: a process that is given half of it ends with a signal.
  const opened = openSync(`${file}.new`, 'w');
  writeFileSync(opened, script.createCachedData());
  fsyncSync(opened);
  closeSync(opened);
  renameSync(`${file}.new`, file);
});
run();
