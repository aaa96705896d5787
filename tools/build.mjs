/**
 * Bundles the programs with esbuild: `node tools/build.mjs <project>…`, where a project is an app or `tools`.
 *
 * `dist/<project>/<program>.mjs` needs nothing but Node and what lies beside it: `<program>.cjs` is all of it, in one file. It is CommonJS,
 * because V8 can be given what it has compiled of a script before, and not of an ES module on Node 20 (`start-program.cjs`). The programs of this
 * repository itself are ES modules. The services keep their names, and lose what is between them: V8 holds the text of a program
 * for as long as it runs, and with two bytes a letter when a comment in it has one that is not of Latin-1 (8 MB of each service). The agent is
 * minified, because it would hold 2 MB more for its text, and so are the commands, which are read anew each time. All source maps lie beside
 * them, for `node --enable-source-maps`. esbuild's `keepNames` would cost 10 ms at start and a wrapper around every closure.
 * esbuild emits no decorator metadata: injection is always spelled out (`inject: […]`).
 */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import {
  fileOf,
  laterBeside,
  nativeBeside,
  optionalPeers,
  SELDOM,
  seldomBeside,
  TARGET,
  wasmBeside,
} from './build-plugins.mjs';
import { nodeCheck } from './node-version.mjs';
import { isStarted, root } from './programs.mjs';
import { makeStartable } from './startable.mjs';

/** What few processes read: OpenTelemetry's SDK with traces, libsodium's WebAssembly where there is no native one. */
const later = { 'otel-tracing': 'libs/tracing/src/otel-tracing.ts', 'wasm-sodium': 'libs/envelope/src/wasm-sodium.ts' };
const app = (name, how, more = {}, beside = later) => ({
  out: `dist/${name}`,
  programs: { main: `apps/${name}/src/main.ts`, ...more },
  later: beside,
  ...how,
});
const lean = { minify: true, sourcemap: true };
const named = { minifyWhitespace: true, lineLimit: 200, sourcemap: true };
/** Nest would load Express for a service that listens for HTTP and brings no adapter. These do not, and it is a third of their text. */
const noHttp = { ...named, external: ['@nestjs/platform-express'] };
/** Whoever runs modules of the user starts this beside itself. */
const hostIn = (out) => ({ out, entries: { 'module-host': 'apps/minion-agent/src/execution/module-host.mjs' } });
/** What an agent is hardly ever asked about, and what would be in its memory all the time. */
const seldom = Object.fromEntries(
  ['own-runners', 'own-targets'].map((name) => [name, `apps/minion-agent/src/execution/${name}.ts`]),
);
const commands = Object.fromEntries(
  ['natrium', 'natrium-call', 'natrium-run', 'natrium-key', 'natriumctl'].map((name) => [
    name,
    `apps/cli/src/${name}.ts`,
  ]),
);

/** Each project and what it is made of; `tools` are the programs of this repository itself. */
const projects = {
  'master-gateway': [app('master-gateway', { copies: { ui: 'apps/master-gateway/src/http/ui' }, ...named })],
  'acl-service': [app('acl-service', noHttp)],
  'runner-service': [app('runner-service', noHttp), hostIn('dist/runner-service')],
  'event-sink': [app('event-sink', noHttp)],
  'minion-agent': [
    app('minion-agent', lean, { swarm: 'apps/minion-agent/src/swarm.ts' }, { ...later, ...seldom }),
    hostIn('dist/minion-agent'),
  ],
  cli: [{ out: 'dist/cli', programs: commands, later, ...lean }, hostIn('dist/cli')],
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
const moduleBanner = `import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);
${nodeCheck}`;

const AS_MODULE = { format: 'esm', outExtension: { '.js': '.mjs' }, banner: { js: moduleBanner } };

/** And ES modules inside a script ask for their own URL. They `require` what they load later: V8 knows no loader for what it has compiled before. */
const AS_SCRIPT = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: `const __url = require('node:url').pathToFileURL(__filename).href;` },
  define: { 'import.meta.url': '__url' },
  supported: { 'dynamic-import': false },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: TARGET,
  treeShaking: true,
  minify: false,
  sourcemap: false,
  chunkNames: 'chunk-[hash]',
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

/**
 * @param bundled `entries` become ES modules. `programs` become scripts, each started by an ES module of its name, with what they load `later`
 *   beside them. `copies`: folders that lie beside the program as they are.
 */
async function bundle({ out, entries, programs = {}, later = {}, copies = {}, external = [], ...more }) {
  const outdir = join(root, out);
  const entryPoints = presentEntries(entries ?? { ...programs, ...later });
  if (Object.keys(entryPoints).length === 0) return;
  await builtWithout({
    ...options,
    ...(entries === undefined ? AS_SCRIPT : AS_MODULE),
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
  await makeStartable(outdir, Object.keys(programs));
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

if (isStarted(import.meta.url)) await main(process.argv.slice(2));
