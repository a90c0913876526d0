// Nest 12 is published as ES modules only. Everything runs as CommonJS here, so swc also turns those packages into CommonJS.
const typescript = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];
const javascript = [
  '@swc/jest',
  { jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } }, module: { type: 'commonjs' } },
];
const esmPackages = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'load-esm',
  // Has CommonJS, but loads `http` by `import()`, which Jest cannot do in a package that it does not compile.
  '@opentelemetry',
];
const base = {
  testEnvironment: 'node',
  rootDir: __dirname,
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  transform: { '^.+\\.ts$': typescript, '^.+\\.m?js$': javascript },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  moduleNameMapper: {
    '^@app/(mapper|behaviour|client)$': '<rootDir>/libs/$1/src',
    '^@app/simulators$': '<rootDir>/tools/simulators/src',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/jest/end-storages.ts'],
};

// A worker loads what its files have in common once, not for each file.
const sharedModules = {
  testEnvironment: '<rootDir>/test/support/jest/shared-modules/environment.cjs',
  runtime: '<rootDir>/test/support/jest/shared-modules/runtime.cjs',
};

// Over HTTP and a real PostgreSQL, one server for all files.
const endToEnd = {
  ...base,
  setupFiles: [
    ...base.setupFiles,
    // The campaign `flakiness` sets it.
    ...(process.env.SLOW_STATEMENTS === undefined ? [] : ['<rootDir>/test/support/jest/slow-statements.ts']),
  ],
  globalSetup: '<rootDir>/test/support/jest/start-postgres.ts',
  globalTeardown: '<rootDir>/test/support/jest/stop-postgres.ts',
};

module.exports = {
  // No test is about the time that it takes: machines are busy at times.
  testTimeout: 30_000,
  projects: [
    {
      ...base,
      ...sharedModules,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,libs,tools,bench}/**/*.spec.ts'],
    },
    {
      ...endToEnd,
      ...sharedModules,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
    },
    // Tests of what takes half a minute by itself. They wait, and leave the machine to others.
    { ...endToEnd, displayName: 'waits', testMatch: ['<rootDir>/test/**/*.waits-spec.ts'] },
    // Tests of a whole process: its memory, its start and its end. Half of their time they wait, so two of them share the machine.
    { ...endToEnd, displayName: 'processes', testMatch: ['<rootDir>/test/**/*.process-spec.ts'] },
    // Tests of what the service promises in seconds. They need the machine to themselves.
    { ...endToEnd, displayName: 'limits', testMatch: ['<rootDir>/test/**/*.limits-spec.ts'] },
    // Long proofs with a command of their own, `npm run campaign`; `npm test` leaves them out.
    { ...endToEnd, displayName: 'campaign', testMatch: ['<rootDir>/test/campaigns/*.campaign-spec.ts'] },
  ],
};
