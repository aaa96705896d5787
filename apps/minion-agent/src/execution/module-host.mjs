/**
 * Loads one JavaScript module of the user and runs one of its functions: `node module-host.mjs FILE [--describe]`.
 *
 * It is the only place where a user's file is loaded, in a process of its own that its parent limits and ends, and it
 * speaks what executables in any language speak (docs/modules.md). Plain JavaScript without any import of ours, so that
 * it runs the same from the sources and from a bundle, and so that nothing of ours is within the user's reach.
 */
import { pathToFileURL } from 'node:url';

const [file, word] = process.argv.slice(2);
const send = process.stdout.write.bind(process.stdout);
// What the module prints is for its author; the answer stands alone.
process.stdout.write = process.stderr.write.bind(process.stderr);

async function load() {
  const loaded = await import(pathToFileURL(file).href);
  const module = loaded.default ?? loaded.module;
  if (typeof module !== 'object' || module === null || typeof module.functions !== 'object') {
    throw new TypeError('it exports no module: export default { name, functions: { … } }');
  }
  return module;
}

function describe({ name, functions }) {
  const all = Object.entries(functions).map(([fun, spec]) => {
    if (typeof spec?.run !== 'function') throw new TypeError(`${fun}: run must be a function`);
    const { run: _, ...text } = spec;
    return [fun, text];
  });
  return { name, functions: Object.fromEntries(all) };
}

async function readStdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function call(module) {
  const { fun, args, context } = await readStdin();
  try {
    const ret = await module.functions[fun].run(args, context);
    return { ret: ret === undefined ? null : ret };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    if (name === 'InvocationError') return { invalid: message };
    if (name === 'ExecutionError') return { error: message };
    return { exception: [name, message] };
  }
}

/** An integer too large for a number becomes text: JSON.stringify has no other way to keep its digits. */
function text(answer) {
  return JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

try {
  const module = await load();
  const answer = text(word === '--describe' ? describe(module) : await call(module));
  // The function may have left timers behind; the answer is all that is waited for.
  send(answer, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`, () =>
    process.exit(1),
  );
}
