/** Long rounds, and what needs Python, Debian's packages, bash or openssl: `npm run test:system` runs them, and `npm test -- tests/keys/flood` the one that it names. */
export const slow = [
  'apps/cli/src/manual/bash',
  'apps/minion-agent/src/execution/own-modules',
  'libs/modules/src/builtin/pkg-debian',
  'tests/broker/claimed',
  'tests/broker/doctor',
  'tests/broker/guest',
  'tests/broker/heard-nodes',
  'tests/broker/newcomer',
  'tests/broker/node-death',
  'tests/broker/renewal',
  'tests/broker/revocation',
  'tests/broker/three-nodes',
  'tests/cluster/absent',
  'tests/cluster/at-once',
  'tests/cluster/canary',
  'tests/cluster/event-kill',
  'tests/cluster/examples',
  'tests/cluster/large-returns',
  'tests/cluster/life',
  'tests/cluster/memory',
  'tests/cluster/mine',
  'tests/cluster/own-modules',
  'tests/cluster/state-folder',
  'tests/cluster/stop-without-broker',
  'tests/cluster/swarm',
  'tests/cluster/told-to-stop',
  'tests/cluster/traces',
  'tests/cluster/what-the-files-say',
  'tests/drills/drills',
  'tests/durability/damage',
  'tests/durability/deaths',
  'tests/durability/killed-gateway',
  'tests/durability/refused-writes',
  'tests/durability/stalls',
  'tests/events/planned-stop',
  'tests/events/sinks',
  'tests/hostile/succession',
  'tests/http/failover',
  'tests/http/login-budget',
  'tests/http/malformed',
  'tests/keys/copied',
  'tests/keys/flood',
  'tests/keys/restore',
  'tests/keys/revocation',
  'tests/keys/revocation-fleet',
  'tests/keys/rotation',
  'tests/keys/succession',
  'tests/keys/succession-deaths',
  'tests/orders/orders',
  'tests/policy/audit-archive',
  'tests/policy/in-force',
  'tests/policy/reload',
  'tests/wheel/restart',
  'tools/init',
];
const left = slow.filter((path) => !process.argv.some((word) => word.includes(path)));

// What the rules say of modes is what is made under the usual mask; workers and what they start have it from here.
process.umask(0o022);

export default {
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/jest.setup.mjs'],
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools', '<rootDir>/compat', '<rootDir>/tests'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/jest.transform.mjs',
      {
        // Each file of tests reads all that it imports anew. Without comments and blanks, and with the map beside it, a module is a sixth
        // of the text, and all of the tests take a tenth less.
        sourceMaps: true,
        minify: true,
        jsc: {
          minify: { compress: false, mangle: false, format: { comments: false } },
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/system/', ...left.map((path) => `<rootDir>/${path}`)],
  // Tests with real processes wait for a third of their time: on two cores 224 s, 246 s with a worker less.
  maxWorkers: 4,
  // A worker keeps the modules of every file that it has run: collecting them takes longer each time, up to a tenth of it all.
  workerIdleMemoryLimit: '400MB',
  // Four large workers on two slow cores are not gone within the usual half second; one that something left open holds up is still told of.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  // A test that hangs ends; one that is slow on a busy machine does not, nor one before what it waits for says what did not come.
  testTimeout: 180_000,
};
