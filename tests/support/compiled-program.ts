/** What V8 does with what it has compiled of a program before (tools/start-program.cjs). */

/** A script for `node FLAGS -e`: it says in JSON whether V8 refuses what was kept of the program; nothing of it when nothing was. */
export function askCompiled(folder: string, name: string): string {
  const [from, at] = [`${folder}/start-program.cjs`, folder].map((path) => JSON.stringify(path));
  return `const { compileProgram } = require(${String(from)});
    console.log(JSON.stringify({ refused: compileProgram(${String(at)}, '${name}').script.cachedDataRejected }));`;
}

/** @param said What that script said. */
export function isRefused(said: string): boolean | undefined {
  return (JSON.parse(said) as { refused?: boolean }).refused;
}
