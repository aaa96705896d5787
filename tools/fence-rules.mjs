/** The linter's rules for one project of `fence.mjs`: what it may import, and for a pure library what it may touch. */

/** What a `*.spec.ts` may import beside what its project may. */
const testTools = ['@natrium/testing', 'fast-check', '@jest/globals', 'msgpackr'];

/** What a library that knows no `node:` must not reach by another way: clock, randomness, environment, timers, network. */
const impure = [
  'process',
  'Buffer',
  'crypto',
  'performance',
  'console',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'global',
  'globalThis',
  'require',
  '__dirname',
  '__filename',
];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** One allowed package as a regular expression: `js-yaml` and its subpaths, `@nats-io/*` and theirs. */
const packagePattern = (name) => `${escaped(name).replace('\\*', '[^/]+')}(?:/.+)?$`;

function allowedPatterns({ may, packages, node = false }, isTest) {
  const projects = may === '*' ? ['@natrium/[\\w-]+$'] : may.map((name) => `@natrium/${name}$`);
  return [
    '\\.{1,2}/',
    ...projects,
    ...packages.map(packagePattern),
    ...(node || isTest ? ['node:(?!module$)'] : []),
    ...(isTest ? testTools.map(packagePattern) : []),
  ];
}

const pureRules = {
  'no-restricted-globals': [
    'error',
    ...impure.map((name) => ({ name, message: 'A pure library takes this as a value.' })),
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Time comes in as a value.' },
    { object: 'Math', property: 'random', message: 'Randomness comes in as a value.' },
  ],
};

/** `import()` is invisible to the fence, so none, but for a command's own parts, which may be loaded when needed. */
const dynamicImport = (isLazy) => ({
  selector: isLazy
    ? 'ImportExpression:not([source.value=/^\\.{1,2}\\u002F(?!.*\\b(?:src|libs|apps|node_modules|dist)\\u002F)/])'
    : 'ImportExpression',
  message: isLazy ? 'Only a part of this project itself may be loaded later.' : 'import() is invisible to the fence.',
});

/**
 * Gives the rules for a project's arrows.
 *
 * @param arrows A value of `fence`.
 * @param options `isTest` for the project's `*.spec.ts`, which may import more.
 */
export function fenceRules(arrows, { isTest = false } = {}) {
  const restricted = [
    { regex: `^(?!${allowedPatterns(arrows, isTest).join('|')})`, message: 'No such arrow in tools/fence.mjs.' },
    {
      regex: '^\\.{1,2}/.*\\b(?:src|libs|apps|node_modules|dist)/',
      message: 'Another project is imported by its name.',
    },
  ];
  return {
    'no-restricted-imports': ['error', { patterns: restricted }],
    'no-restricted-syntax': [
      'error',
      dynamicImport(arrows.lazy === true),
      { selector: 'TSImportType', message: 'import type { … } shows the arrow.' },
      {
        selector: 'TSImportEqualsDeclaration[moduleReference.type="TSExternalModuleReference"]',
        message: 'Use import.',
      },
      ...(arrows.node || isTest
        ? []
        : [
            { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'Time comes in as a value.' },
          ]),
    ],
    ...(arrows.node || isTest ? { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' } : pureRules),
  };
}
