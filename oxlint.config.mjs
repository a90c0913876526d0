const syntax = 'eslint-js/no-restricted-syntax';

const expressionMadeOfText = {
  selector: ":matches(NewExpression, CallExpression)[callee.name='RegExp']",
  message: 'Write the expression as a literal, so that the linter can tell that it is linear.',
};

const clockRules = [
  {
    selector: ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
    message: "Use Clock, which goes by the database's clock.",
  },
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: "Use Clock, which goes by the database's clock, or performance.now() for a span of time.",
  },
];

/** Node 20 forgets a timeout that only a joined signal refers to (nodejs/node#57736). */
const joinedSignals = {
  selector: 'MemberExpression[object.name="AbortSignal"][property.name=/^(any|timeout)$/]',
  message:
    'Use withinDeadline or untilFirstOf (src/runtime/clock/deadline.ts): Node 20 may forget a timeout.',
};

const inRepository = 'Statements stand in the *.repository.ts that owns the table (docs/architecture.md).';
const statementRules = [
  {
    selector: 'CallExpression[callee.property.name=/^(query|queryLater|execute|copyIn)$/]',
    message: inRepository,
  },
  {
    selector:
      'CallExpression[callee.property.name=/^(read|runTogether)$/][callee.object.property.name="unitOfWork"]',
    message: inRepository,
  },
  {
    selector: 'CallExpression[callee.property.name=/^(getRepository|withRepository|createQueryBuilder)$/]',
    message: inRepository,
  },
  { selector: 'Decorator CallExpression[callee.name="InjectRepository"]', message: inRepository },
];

/** Repositories of single rows are injected, and bound to the transaction (decision 71). */
const injectedRepositories = {
  selector: 'CallExpression[callee.property.name="getRepository"]',
  message: 'Inject the repository of the entity, and bind it with manager.withRepository.',
};

/** Any script of the page can read these, so no key may get there. The session's own file has the one exception. */
const storages = ['localStorage', 'sessionStorage', 'indexedDB'].map((name) => ({
  name,
  message: 'The console keeps nothing in the browser (libs/console/README.md).',
}));

/** Their types are there for the tests. */
const ofNode = ['process', 'Buffer', 'global', 'setImmediate', 'require', '__dirname'].map((name) => ({
  name,
  message: 'The console runs in browsers.',
}));

/** Records are hostile text, and amounts are counted in minor units. */
const pageRules = [
  {
    selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
    message: 'Records are hostile text: they are shown as text.',
  },
  {
    selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
    message: 'Records are hostile text: they are shown as text.',
  },
  {
    selector:
      ':matches(MemberExpression[object.name="Intl"][property.name="NumberFormat"], CallExpression[callee.property.name=/^(toFixed|toLocaleString)$/])',
    message:
      "Amounts come from minor units and our own table of currencies: use Money. Intl's decimals differ.",
  },
];

/** Rules outside the category `correctness`, for all files. */
const alsoEverywhere = [
  'no-case-declarations',
  'no-empty',
  'no-fallthrough',
  'no-prototype-builtins',
  'no-regex-spaces',
  'no-unexpected-multiline',
  'preserve-caught-error',
  'eslint-js/no-useless-assignment',
];

/** The same for TypeScript. Most ask the compiler for types. */
const alsoInTypeScript = [
  'no-array-constructor',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'typescript/ban-ts-comment',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-misused-promises',
  'typescript/no-namespace',
  'typescript/no-require-imports',
  'typescript/no-unnecessary-type-assertion',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-enum-comparison',
  'typescript/no-unsafe-function-type',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
  'typescript/only-throw-error',
  'typescript/prefer-promise-reject-errors',
  'typescript/require-await',
  'typescript/restrict-plus-operands',
];

/** A test may build an object only to hand it over, supertest bodies are typed any, and sets are compared in any order. */
const notInTests = [
  'typescript/require-array-sort-compare',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
];

/** Rules of `correctness` that ask for types. What plain JavaScript has of them depends on which files are checked together. */
const notInJavaScript = [
  'typescript/await-thenable',
  'typescript/no-array-delete',
  'typescript/no-base-to-string',
  'typescript/no-duplicate-type-constituents',
  'typescript/no-floating-promises',
  'typescript/no-for-in-array',
  'typescript/no-implied-eval',
  'typescript/no-meaningless-void-operator',
  'typescript/no-redundant-type-constituents',
  'typescript/no-unsafe-unary-minus',
  'typescript/no-useless-default-assignment',
  'typescript/require-array-sort-compare',
  'typescript/restrict-template-expressions',
  'typescript/unbound-method',
];

const all = (rules, severity) => Object.fromEntries(rules.map((rule) => [rule, severity]));

export default {
  plugins: ['typescript', 'oxc'],
  jsPlugins: ['eslint-plugin-regexp', { name: 'eslint-js', specifier: 'oxlint-plugin-eslint' }],
  categories: { correctness: 'error' },
  options: { typeAware: true },
  ignorePatterns: ['**/dist/**', '.data/**', 'coverage/**'],
  rules: {
    ...all(alsoEverywhere, 'error'),
    'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    // Rows and DTOs are instances of classes without methods: spreading one makes a plain object.
    'typescript/no-misused-spread': 'off',
  },
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...all(alsoInTypeScript, 'error'),
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      },
    },
    {
      files: ['libs/console/**/*.{ts,tsx}'],
      rules: {
        'no-restricted-globals': ['error', ...storages, ...ofNode],
        [syntax]: ['error', expressionMadeOfText, ...pageRules],
      },
    },
    {
      // What a client sends goes through its DTO.
      files: ['src/**/*.ts'],
      excludeFiles: ['src/common/validation/valid-input.decorators.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              {
                name: '@nestjs/common',
                importNames: ['Body', 'Query'],
                message: 'Use ValidBody and ValidQuery, which validate.',
              },
            ],
          },
        ],
      },
    },
    {
      // Text from outside meets these expressions. An expression takes time in proportion to the text, whatever that is.
      files: ['src/**/*.ts', 'libs/**/*.{ts,tsx}', 'tools/**/*.ts', 'deploy/**/*.mjs'],
      excludeFiles: ['**/*.spec.ts', '{libs,tools}/*/src/testing/**'],
      rules: {
        'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
        'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
      },
    },
    {
      // The control port of the simulators takes expressions; it is for tests.
      files: ['src/**/*.ts', 'libs/**/*.ts'],
      excludeFiles: ['**/*.spec.ts', 'libs/*/src/testing/**', 'libs/console/**'],
      rules: { [syntax]: ['error', expressionMadeOfText, joinedSignals] },
    },
    {
      // Times meet those of other processes, in the database (decision 63).
      files: ['src/**/*.ts'],
      excludeFiles: ['**/*.spec.ts', 'src/runtime/clock/database-clock.ts', 'src/runtime/logging/logger.ts'],
      rules: { [syntax]: ['error', expressionMadeOfText, joinedSignals, ...clockRules, ...statementRules] },
    },
    {
      // A repository owns its table, and all of its statements. The database's own folder runs them; the embedded server is
      // asked before the service has a pool.
      files: ['src/**/*.repository.ts', 'src/database/**/*.ts', 'src/runtime/embedded-postgres/**/*.ts'],
      excludeFiles: ['**/*.spec.ts'],
      rules: {
        [syntax]: ['error', expressionMadeOfText, joinedSignals, ...clockRules, injectedRepositories],
      },
    },
    { files: ['**/*.spec.ts', 'test/**/*.ts'], rules: all(notInTests, 'off') },
    {
      files: ['**/*.{mjs,cjs,js}'],
      env: { node: true, es2023: true },
      rules: { 'no-undef': 'error', ...all(notInJavaScript, 'off') },
    },
    {
      files: ['src/common/openapi/page/*.js'],
      env: { browser: true, node: false },
      globals: { SwaggerUIBundle: 'readonly' },
    },
  ],
};
