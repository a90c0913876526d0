/** The layers of docs/architecture.md, as rules. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'mapper-is-pure',
      comment: 'The mapper library knows neither the service, nor Nest, nor the database.',
      severity: 'error',
      from: { path: '^libs/mapper' },
      to: {
        path: ['^src', '^migrations', 'node_modules/@nestjs', 'node_modules/typeorm', 'node_modules/pg(-|/)'],
      },
    },
    {
      name: 'platforms-stand-apart',
      comment: 'A third platform is one more folder; platforms never import each other.',
      severity: 'error',
      from: { path: '^libs/mapper/src/platforms/(platform_[a-z]+)/' },
      to: { path: '^libs/mapper/src/platforms/platform_', pathNot: '^libs/mapper/src/platforms/$1/' },
    },
    {
      name: 'client-stands-apart',
      comment:
        'The client knows the service by its description only, and the service does not know the client.',
      severity: 'error',
      from: { path: '^libs/client' },
      to: { path: ['^src', '^migrations', '^libs/mapper', 'node_modules/@nestjs'] },
    },
    {
      name: 'service-without-client',
      severity: 'error',
      from: { path: ['^src', '^libs/mapper'] },
      to: { path: '^libs/client' },
    },
    {
      name: 'mapper-by-its-face',
      comment:
        'The service imports the mapper from its index only; its tests may use what the mapper tests with.',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/mapper/src/', pathNot: '^libs/mapper/src/index\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
