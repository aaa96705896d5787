/**
 * Bundles the programs with esbuild: `node tools/build.mjs <project>…`, where a project is an app or `tools`.
 *
 * `dist/<project>/<entry>.mjs` is an ES module that needs nothing but Node and what lies beside it. Each command is a build of its own, because
 * esbuild puts into a shared chunk what any of them needs, and every command would load all of it; what it loads by
 * `import()` is a chunk. A service is one file, because esbuild's chunks may run in another order than the sources and
 * Nest needs `reflect-metadata` first. The services keep their names, and lose what is between them: V8 holds the text of a program
 * for as long as it runs, and with two bytes a letter when a comment in it has one that is not of Latin-1 (8 MB of each service). The agent is
 * minified, because it would hold 2 MB more for its text, and so are the commands, which are read anew each time. All source maps lie beside
 * them, for `node --enable-source-maps`. esbuild's `keepNames` would cost 10 ms at start and a wrapper around every closure.
 * esbuild emits no decorator metadata: injection is always spelled out (`inject: […]`).
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { nodeCheck } from './node-version.mjs';
import { root } from './programs.mjs';

/** What few processes read: OpenTelemetry's SDK with traces, libsodium's WebAssembly where there is no native one. */
const later = { 'otel-tracing': 'libs/tracing/src/otel-tracing.ts', 'wasm-sodium': 'libs/envelope/src/wasm-sodium.ts' };
const app = (name, more, how) => ({
  out: `dist/${name}`,
  entries: { main: `apps/${name}/src/main.ts`, ...later, ...more },
  ...how,
});
const lean = { minify: true, sourcemap: true };
const named = { minifyWhitespace: true, lineLimit: 200, sourcemap: true };
/** Nest would load Express for a service that listens for HTTP and brings no adapter. These do not, and it is a third of their text. */
const noHttp = { ...named, external: ['@nestjs/platform-express'] };
/** Whoever runs modules of the user starts this beside itself. */
const host = { 'module-host': 'apps/minion-agent/src/execution/module-host.mjs' };
/** What an agent is hardly ever asked about, and what would be in its memory all the time. */
const seldom = Object.fromEntries(
  ['own-runners', 'own-targets'].map((name) => [name, `apps/minion-agent/src/execution/${name}.ts`]),
);
const commands = ['natrium', 'natrium-call', 'natrium-run', 'natrium-key', 'natriumctl'];

/** Each project and what it is made of; `tools` are the programs of this repository itself. */
const projects = {
  'master-gateway': [app('master-gateway', {}, { copies: { ui: 'apps/master-gateway/src/http/ui' }, ...named })],
  'acl-service': [app('acl-service', {}, noHttp)],
  'runner-service': [app('runner-service', host, noHttp)],
  'event-sink': [app('event-sink', {}, noHttp)],
  'minion-agent': [app('minion-agent', { ...host, ...seldom, swarm: 'apps/minion-agent/src/swarm.ts' }, lean)],
  cli: commands.map((name) => ({
    out: 'dist/cli',
    entries: { [name]: `apps/cli/src/${name}.ts`, ...(name === 'natrium-call' ? host : {}) },
    splitting: true,
    ...lean,
  })),
  tools: [
    { out: 'dist/compat', entries: { replay: 'compat/replay.ts' } },
    { out: 'dist/bench', entries: { main: 'bench/main.ts' } },
    {
      out: 'dist/examples',
      entries: Object.fromEntries(
        ['listen-minion', 'emit-minion', 'listen-master', 'emit-master', 'minion-to-master'].map((name) => [
          name,
          `examples/events/${name}.ts`,
        ]),
      ),
      splitting: true,
    },
    { out: 'dist/demo', entries: { main: 'tests/demo/main.ts' } },
    { out: 'dist/tour', entries: { main: 'tests/tour/main.ts' } },
    { out: 'dist/drills', entries: { main: 'tests/drills/main.ts' } },
    {
      out: 'dist/compose',
      entries: {
        main: 'tests/compose/main.ts',
        load: 'tests/compose/load.ts',
        collector: 'tests/compose/collector.ts',
        'fetch-text': 'tests/compose/fetch-text.ts',
      },
    },
  ],
};

/** CommonJS packages inside an ES module still call `require`, and some ask where they are. */
const banner = `import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);
${nodeCheck}`;

/**
 * Leaves out a package that another *package* would like to have and that is not installed (Nest's Kafka, MQTT, Redis,
 * gRPC, class-validator…): it fails where it is asked for, at run time. Our own code gets no such leave.
 *
 * @param missing What somebody did not find; only that is looked for here, since each question takes esbuild half a millisecond.
 */
const optionalPeers = (missing) => ({
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
const laterBeside = {
  name: 'later-beside',
  setup({ onResolve, initialOptions }) {
    if (initialOptions.splitting === true) return;
    onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ kind, path }) => {
      const name = basename(path, '.js');
      const isBeside = kind === 'dynamic-import' && name in initialOptions.entryPoints;
      return isBeside ? { path: `./${name}.mjs`, external: true } : undefined;
    });
  },
};

/** The native libsodium lies beside the program, for this platform and for the images' on the same processor. */
const nativeBeside = (outdir) => ({
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
const wasmBeside = (outdir) => ({
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
const SELDOM = [
  // The engine of regular expressions: most never test one that `pattern-fast.ts` cannot, and its tables and its text are 0.5 MB of an agent.
  // Services test them all the time.
  { name: 're2js', entry: /[/\\]re2js[/\\]build[/\\]index\.js$/, exported: 'RE2JS' },
  // What the NATS library signs with, in JavaScript; we do it with libsodium.
  { name: 'tweetnacl', entry: /[/\\]tweetnacl[/\\]nacl-fast\.js$/ },
  // What pino would start threads with, for logs that go elsewhere.
  { name: 'thread-stream', entry: /[/\\]thread-stream[/\\]index\.js$/ },
];

const fileOf = (name) => `${name}.cjs`;

/** Stands for the package until it is needed. `__esModule` is what a bundle asks of each CommonJS module as soon as it has it. */
const standIn = (name, exported) => {
  const found = `require('./${fileOf(name)}')${exported === undefined ? '' : `.${exported}`}`;
  const proxy = `new Proxy(class {}, {
    get: (_, key) => (key === '__esModule' ? undefined : (found ??= ${found})[key]),
    construct: (_, given) => new (found ??= ${found})(...given),
  })`;
  return `let found;\n${exported === undefined ? 'module.exports' : `export const ${exported}`} = ${proxy};`;
};

const seldomBeside = (outdir, { name, entry, exported }) => ({
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
        target: options.target,
      });
      return { contents: standIn(name, exported) };
    });
  },
});

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  treeShaking: true,
  minify: false,
  sourcemap: false,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  banner: { js: banner },
  mainFields: ['module', 'main'],
  conditions: ['module'],
  legalComments: 'none',
  logLevel: 'warning',
};

/** An entry whose file is not there fails, unless its whole folder is still empty or missing. */
function presentEntries(entries) {
  const isPlanned = ([, file]) => {
    const folder = join(root, dirname(file));
    return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.ts'));
  };
  return Object.fromEntries(Object.entries(entries).filter(isPlanned));
}

/** Builds; what is not found is left out by `optionalPeers` in a second try, or is what that fails for. */
async function builtWithout(asked) {
  try {
    await build({ ...asked, logLevel: 'silent' });
  } catch ({ errors = [] }) {
    const missing = errors.flatMap(({ text }) => /^Could not resolve "([^"]+)"$/.exec(text)?.[1] ?? []);
    await build({ ...asked, plugins: [...(missing.length > 0 ? [optionalPeers(missing)] : []), ...asked.plugins] });
  }
}

/** `copies`: folders that lie beside the program as they are. */
async function bundle({ out, entries, copies = {}, external = [], ...more }) {
  const outdir = join(root, out);
  const entryPoints = presentEntries(entries);
  if (Object.keys(entryPoints).length === 0) return;
  await builtWithout({
    ...options,
    ...more,
    plugins: [
      laterBeside,
      wasmBeside(outdir),
      nativeBeside(outdir),
      ...(more.minify ? SELDOM.map((one) => seldomBeside(outdir, one)) : []),
    ],
    external: [...SELDOM.map(({ name }) => `./${fileOf(name)}`), ...external],
    outdir,
    entryPoints,
  });
  for (const [name, folder] of Object.entries(copies))
    cpSync(join(root, folder), join(outdir, name), { recursive: true });
}

/** @throws When a bundle fails; esbuild has printed why. */
async function bundleProjects(names) {
  const bundles = names.flatMap((name) => projects[name]);
  for (const { out } of bundles) rmSync(join(root, out), { recursive: true, force: true });
  await Promise.all(bundles.map(bundle));
}

async function main(wanted) {
  const unknown = wanted.filter((name) => !(name in projects));
  if (wanted.length === 0 || unknown.length > 0) {
    const what = unknown.join(', ') || 'nothing to build';
    process.stderr.write(`build: ${what}; projects: ${Object.keys(projects).join(' ')}\n`);
    process.exit(2);
  }
  try {
    await bundleProjects(wanted);
  } catch {
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
