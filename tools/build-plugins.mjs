/** What esbuild has to be told about the packages of the programs: what lies beside a program, and what may be missing. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

export const TARGET = 'node20';

/**
 * Leaves out a package that another *package* would like to have and that is not installed (Nest's Kafka, MQTT, Redis,
 * gRPC, class-validator…): it fails where it is asked for, at run time. Our own code gets no such leave.
 *
 * @param missing What somebody did not find; only that is looked for here, since each question takes esbuild half a millisecond.
 */
export const optionalPeers = (missing) => ({
  name: 'optional-peers',
  setup({ onResolve, resolve }) {
    const names = missing.map((name) => name.replace(/[^\w/@-]/g, String.raw`\$&`));
    onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, async ({ path, pluginData, importer, ...how }) => {
      if (pluginData === 'asked' || !importer.includes('/node_modules/')) return undefined;
      const found = await resolve(path, { importer, kind: how.kind, resolveDir: how.resolveDir, pluginData: 'asked' });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
});

/** Without chunks esbuild would put what is loaded later into the same file. What is an entry of the build is loaded from there. */
export const laterBeside = {
  name: 'later-beside',
  setup({ onResolve, initialOptions }) {
    if (initialOptions.splitting === true) return;
    onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ kind, path }) => {
      const name = basename(path, '.js');
      const isBeside = kind === 'dynamic-import' && name in initialOptions.entryPoints;
      return isBeside ? { path: `./${name}${initialOptions.outExtension['.js']}`, external: true } : undefined;
    });
  },
};

/** The native libsodium lies beside the program, for this platform and for the images' on the same processor. */
export const nativeBeside = (outdir) => ({
  name: 'native-beside',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]sodium-native[/\\]binding\.js$/ }, ({ path }) => {
      mkdirSync(outdir, { recursive: true });
      for (const platform of [process.platform, 'linux']) {
        const place = `${platform}-${process.arch}`;
        const file = join(dirname(path), 'prebuilds', place, 'sodium-native.node');
        if (existsSync(file)) cpSync(file, join(outdir, `sodium-native.${place}.node`));
      }
      const file = '`./sodium-native.${process.platform}-${process.arch}.node`';
      return { contents: `const file = ${file};\nmodule.exports = require(file);` };
    });
  },
});

const WASM = 'libsodium.wasm.base64';

/**
 * libsodium's WebAssembly lies beside the program as text: a process holds a text within its program twice for as long as it
 * lives, as part of the source and as a constant (0.6 MB of an agent). @throws {Error} When libsodium is made otherwise.
 */
export const wasmBeside = (outdir) => ({
  name: 'wasm-beside',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]libsodium[/\\]dist[/\\]modules-esm[/\\]libsodium\.mjs$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const [literal, text] = /"(AGFzbQ[\w+/=]{1000,})"/.exec(source) ?? [];
      if (text === undefined) throw new Error(`${path} holds no WebAssembly in base64`);
      mkdirSync(outdir, { recursive: true });
      writeFileSync(join(outdir, WASM), text);
      const read = `__readFileSync(new URL('./${WASM}', import.meta.url), 'latin1')`;
      return {
        contents: `import { readFileSync as __readFileSync } from 'node:fs';\n${source.replace(literal, () => read)}`,
      };
    });
  },
});

/**
 * Packages that lie beside agents and commands and are read when they are first asked for something: what is in a program is in the
 * memory of each agent, and is run each time that a command starts.
 */
export const SELDOM = [
  // The engine of regular expressions: most never test one that `pattern-fast.ts` cannot, and its tables and its text are 0.5 MB of an agent.
  // Services test them all the time.
  { name: 're2js', entry: /[/\\]re2js[/\\]build[/\\]index\.js$/, exported: 'RE2JS' },
  // What the NATS library signs with, in JavaScript; we do it with libsodium.
  { name: 'tweetnacl', entry: /[/\\]tweetnacl[/\\]nacl-fast\.js$/ },
  // What pino would start threads with, for logs that go elsewhere.
  { name: 'thread-stream', entry: /[/\\]thread-stream[/\\]index\.js$/ },
];

export const fileOf = (name) => `${name}.cjs`;

/** Stands for the package until it is needed. `__esModule` is what a bundle asks of each CommonJS module as soon as it has it. */
const standIn = (name, exported) => {
  const found = `require('./${fileOf(name)}')${exported === undefined ? '' : `.${exported}`}`;
  const proxy = `new Proxy(class {}, {
    get: (_, key) => (key === '__esModule' ? undefined : (found ??= ${found})[key]),
    construct: (_, given) => new (found ??= ${found})(...given),
  })`;
  return `let found;\n${exported === undefined ? 'module.exports' : `export const ${exported}`} = ${proxy};`;
};

export const seldomBeside = (outdir, { name, entry, exported }) => ({
  name: `${name}-beside`,
  setup({ onLoad }) {
    onLoad({ filter: entry }, async ({ path }) => {
      const from = `./${basename(path)}`;
      const contents =
        exported === undefined ? `module.exports = require('${from}');` : `export { ${exported} } from '${from}';`;
      await build({
        stdin: { contents, resolveDir: dirname(path) },
        outfile: join(outdir, fileOf(name)),
        bundle: true,
        minify: true,
        format: 'cjs',
        platform: 'node',
        target: TARGET,
      });
      return { contents: standIn(name, exported) };
    });
  },
});
