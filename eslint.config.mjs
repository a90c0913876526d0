import eslint from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

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

export default tseslint.config(
  { ignores: ['**/dist/**', '.data/**', 'coverage/**', 'node_modules/**'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['libs/console/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './libs/console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-restricted-globals': ['error', ...storages, ...ofNode],
      'no-restricted-syntax': ['error', expressionMadeOfText, ...pageRules],
    },
  },
  {
    // What a client sends goes through its DTO.
    files: ['src/**/*.ts'],
    ignores: ['src/common/validation/valid-input.decorators.ts'],
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
    ignores: ['**/*.spec.ts', '{libs,tools}/*/src/testing/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    // The control port of the simulators takes expressions; it is for tests.
    files: ['src/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', 'libs/*/src/testing/**', 'libs/console/**'],
    rules: { 'no-restricted-syntax': ['error', expressionMadeOfText] },
  },
  {
    // Times meet those of other processes, in the database (decision 63).
    files: ['src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'src/runtime/clock/database-clock.ts', 'src/runtime/logging/logger.ts'],
    rules: {
      'no-restricted-syntax': ['error', expressionMadeOfText, ...clockRules, ...statementRules],
    },
  },
  {
    // A repository owns its table, and all of its statements. The database's own folder runs them; the embedded server is
    // asked before the service has a pool.
    files: ['src/**/*.repository.ts', 'src/database/**/*.ts', 'src/runtime/embedded-postgres/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', expressionMadeOfText, ...clockRules, injectedRepositories] },
  },
  {
    // A test may build an object only to hand it over, and supertest bodies are typed any.
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
);
