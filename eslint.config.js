import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Rules that keep files readable; an exemption is a comment, with its reason, on the function that needs it. */
const size = {
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
  complexity: ['error', 16],
  'max-depth': ['error', 4],
  'max-params': ['error', 5],
};

const NO_DURATIONS =
  'No test expects something to be quick: a busy machine is not an error. Measure it in test/lab/bench/.';
const CLOCKS = ':matches([object.name="performance"], [object.name="Date"])[property.name="now"]';

/** What would make a test of the inner circle depend on how busy its machine is. */
const timeless = [
  `CallExpression[callee.name="expect"] BinaryExpression[operator="-"] MemberExpression${CLOCKS}`,
  'CallExpression[callee.object.name="performance"][callee.property.name="now"]',
  'CallExpression[callee.name="expect"] Identifier[name=/^(?:elapsed|duration|took)/i]',
].map((selector) => ({ selector, message: NO_DURATIONS }));

const exportsByName = [
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'test/fixtures/',
      // They belong to clients that are generated elsewhere.
      'test/clients/*/',
      'shared/client/openapi-types.ts',
      '.data/',
      '.test-data/',
      'reports/',
      '.stryker-tmp/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['vitest.config.ts', 'vitest.mutation.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { regexp },
    rules: {
      ...size,
      // Every text from outside is hostile: no expression may take quadratic time, or worse, to fail.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-control-regex': 'off',
      'no-restricted-syntax': ['error', ...exportsByName],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Methods of plain objects, which have no `this`, may be passed as values.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // One import of a module, its types included.
      'no-duplicate-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['api/**/*.ts', 'worker/**/*.ts', 'shared/**/*.ts'],
    // One reader of the environment for the service, and one for the command line, which imports nothing of it.
    ignores: ['shared/config/config.ts', 'shared/cli/settings.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings in shared/config/config.ts.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tests inspect answers of every shape.
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    files: ['test/unit/**/*.ts', 'test/integration/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...exportsByName, ...timeless],
    },
  },
  {
    files: [
      'vitest.config.ts',
      'test/lab/bench/**/*.ts',
      'test/clients/*.ts',
      'test/stores/main.ts',
      'test/lab/faults/**/*.ts',
      'test/lab/simulation/main.ts',
      'shared/local/**/*.ts',
      'shared/cli/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: [
      'vitest.config.ts',
      'vitest.mutation.config.ts',
      'test/support/start-parts.ts',
      'test/browser/support/build-portal.ts',
      // Each replaces some exports of a product file, and passes on the others.
      'test/lab/simulation/parts/**/*.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
