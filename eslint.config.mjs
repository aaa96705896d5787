/**
 * The linter: typescript-eslint's strict type-checked rules, the sizes of the house style, and the import fence, which is
 * made from `tools/fence.mjs` for each project. `tools/fence.spec.ts` proves that the fence bites.
 */
import tseslint from 'typescript-eslint';
import { fence } from './tools/fence.mjs';
import { fenceRules } from './tools/fence-rules.mjs';

const sizes = {
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 60 }],
  'max-params': ['error', { max: 5 }],
};

const types = {
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/prefer-readonly': 'error',
  // A number in a template reads the same everywhere; any other value has to say how it is shown.
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
  // A Nest module is a class with nothing but its decorator.
  '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
  // Overflows its stack on generic transports (typescript-eslint 8.73.0).
  '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
  // A method that fulfils a port is async because the port is.
  '@typescript-eslint/require-await': 'off',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
  '@typescript-eslint/no-confusing-void-expression': [
    'error',
    { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
  ],
  // By code point is what Python does.
  '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
};

const habits = {
  eqeqeq: ['error', 'always'],
  'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
  'no-console': 'error',
  'prefer-const': 'error',
  'object-shorthand': 'error',
};

const typed = ['libs/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts', 'compat/**/*.ts'];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.nx/**', '.cache/**', 'coverage/**', '**/*.js'] },
  {
    files: typed,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { ...sizes, ...types, ...habits },
  },
  {
    files: ['tools/**/*.mjs', 'bin/*.cjs', '*.mjs'],
    rules: {
      ...sizes,
      eqeqeq: 'error',
      'prefer-const': 'error',
      'no-unused-vars': 'error',
      'object-shorthand': 'error',
    },
  },
  {
    // What a browser runs, as it is: nothing from elsewhere, and nothing that makes HTML of a text.
    files: ['apps/master-gateway/src/http/ui/*.mjs'],
    rules: {
      ...fenceRules({ may: [], packages: [], node: true }),
      ...sizes,
      ...habits,
      'no-unused-vars': 'error',
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'write', 'cookie'].map((property) => ({
          property,
        })),
      ],
    },
  },
  { files: ['tools/**/*.ts'], languageOptions: { parser: tseslint.parser }, rules: { ...sizes, ...habits } },
  // A project that the table does not name may import nothing.
  { files: ['libs/*/src/**/*.ts', 'apps/*/src/**/*.ts'], rules: fenceRules({ may: [], packages: [] }) },
  ...Object.entries(fence).flatMap(([project, arrows]) => [
    { files: [`${project}/src/**/*.ts`], rules: fenceRules(arrows) },
    { files: [`${project}/src/**/*.spec.ts`], rules: fenceRules(arrows, { isTest: true }) },
  ]),
  {
    // The one file that loads a user's file: in a process of its own, and with nothing of ours in reach.
    files: ['apps/minion-agent/src/execution/module-host.mjs'],
    rules: { ...fenceRules({ may: [], packages: [], node: true }), ...sizes, 'no-restricted-syntax': 'off' },
  },
  {
    // A table of cases is long, and a test may look where the program may not.
    files: ['**/*.spec.ts', '**/*.contract.ts'],
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Programs that talk to a person.
    files: ['apps/cli/src/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts', 'compat/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
