/** The layers of docs/architecture.md, as rules. */

/** Folders that answer a route. */
const features = 'connections|decisions|demo|health|objects|propagate|statement|transform|webhooks';
/** Folders that several features use, or a feature and the command line. */
const shared = 'connectors|credentials|outbox|rates|reconciliation|records|sync';
/** Folders that only the outermost files may use. */
const outermost = 'cli|start';
const frameworks = ['node_modules/@nestjs', 'node_modules/typeorm', 'node_modules/pg(-|/)'];

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycle',
      comment: 'No folder of src both uses another and is used by it, directly or through others.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+$' },
      to: { path: '^src/[^/]+$', circular: true },
    },
    {
      name: 'features-stand-apart',
      comment: 'A feature imports no other feature. What two need goes into a folder below both.',
      severity: 'error',
      from: { path: `^src/(${features})/` },
      to: { path: `^src/(${features})/`, pathNot: '^src/$1/' },
    },
    {
      name: 'nothing-needs-a-feature',
      comment: 'Only the application, its start and the command line know the features.',
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/(${features}|${outermost})/`, '^src/app\\.module\\.ts$'] },
      to: { path: `^src/(${features})/` },
    },
    {
      name: 'outermost-by-nobody',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${outermost})/` },
      to: { path: `^src/(${outermost})/` },
    },
    {
      name: 'shared-without-http',
      comment:
        'What serves features also works from the command line and in the background: it knows no request.',
      severity: 'error',
      from: { path: `^src/(${shared})/` },
      to: { path: ['^src/(http|openapi|rate-limit)/', '^src/app\\.module\\.ts$'] },
    },
    {
      name: 'port-below-its-users',
      comment:
        'A connector reads and writes records; it knows no run, no command of the outbox and no matching.',
      severity: 'error',
      from: { path: '^src/connectors/' },
      to: { path: '^src/(outbox|reconciliation|records|sync)/' },
    },
    {
      name: 'platforms-behind-the-port',
      comment: 'Nobody but the registry and its module knows which connectors there are.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/connectors/', '\\.spec\\.ts$'] },
      to: { path: '^src/connectors/[^/]+/' },
    },
    {
      name: 'database-at-the-bottom',
      severity: 'error',
      from: { path: '^src/database/' },
      to: {
        path: '^src/',
        pathNot: '^src/(clock|config|database|errors|fairness|logging|schedule|tracing)/',
      },
    },
    {
      name: 'plan-is-pure',
      comment: 'The plan of a change takes data and returns data.',
      severity: 'error',
      from: { path: '^src/propagate/plan/' },
      to: { path: ['^src/database/', ...frameworks] },
    },
    {
      name: 'mapper-is-pure',
      comment: 'The mapper library knows neither the service, nor Nest, nor the database.',
      severity: 'error',
      from: { path: '^libs/mapper' },
      to: { path: ['^src', '^migrations', '^libs/simulator', ...frameworks] },
    },
    {
      name: 'simulator-is-pure',
      comment: 'How a platform behaves needs the mapper alone, by its index.',
      severity: 'error',
      from: { path: '^libs/simulator' },
      to: { path: ['^src', '^migrations', '^libs/(?!simulator|mapper/src/index\\.ts$)', ...frameworks] },
    },
    {
      name: 'simulator-behind-connectors',
      comment: 'The service meets the behaviour of platforms through connectors only.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/connectors/', '\\.spec\\.ts$'] },
      to: { path: '^libs/simulator' },
    },
    {
      name: 'simulated-platforms-stand-apart',
      comment:
        'The HTTP servers of the platforms are made from what is known of them, never from our client of them.',
      severity: 'error',
      from: { path: '^libs/simulated-platforms', pathNot: '\\.spec\\.ts$' },
      to: {
        path: [
          '^src',
          '^migrations',
          '^libs/(?!simulated-platforms|(mapper|simulator)/src/index\\.ts$)',
          ...frameworks,
        ],
      },
    },
    {
      name: 'service-without-simulated-platforms',
      severity: 'error',
      from: { path: ['^src', '^libs/(mapper|simulator|client)'], pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/simulated-platforms' },
    },
    {
      name: 'platforms-stand-apart',
      comment: 'A third platform is one more folder in each library; platforms never import each other.',
      severity: 'error',
      from: { path: '^libs/(mapper/src/platforms|simulator/src|simulated-platforms/src)/(platform_[a-z]+)/' },
      to: { path: '^libs/$1/platform_', pathNot: '^libs/$1/$2/' },
    },
    {
      name: 'client-stands-apart',
      comment:
        'The client knows the service by its description only, and the service does not know the client.',
      severity: 'error',
      from: { path: '^libs/client' },
      to: { path: ['^src', '^migrations', '^libs/(mapper|simulator)', 'node_modules/@nestjs'] },
    },
    {
      name: 'service-without-client',
      severity: 'error',
      from: { path: ['^src', '^libs/(mapper|simulator)'] },
      to: { path: '^libs/client' },
    },
    {
      name: 'libraries-by-their-face',
      comment:
        'The service imports a library from its index only; its tests may use what the library tests with.',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/(mapper|simulator)/src/', pathNot: '^libs/(mapper|simulator)/src/index\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
