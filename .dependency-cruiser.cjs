/** The layers of docs/architecture.md, as rules. */

/** What features share, from the top down: a folder may use only those behind it. */
const flows = ['attention', 'sync', 'outbox', 'matching', 'terms', 'records'];
/** Features answer routes. Every folder of `src` is one, except these. */
const shared = ['cli', 'mcp', ...flows, 'platforms', 'common', 'auth', 'database', 'runtime'];
const features = `(?!(?:${shared.join('|')})/)[^/]+`;
/** Rooms of `common/` from the top down, of which the last serve everything. */
const rooms = [
  'server',
  'middleware',
  'admission',
  'body',
  'validation',
  'csv',
  'openapi',
  'idempotency',
  'rate-limit',
  'response',
  'paging',
  'request',
];
const frameworks = ['node_modules/@nestjs', 'node_modules/typeorm', 'node_modules/pg(-|/)'];

/** Each part of a list may use only those behind it. */
function downwards(name, folder, parts) {
  return parts.slice(1).map((part, place) => ({
    name: `${name}-${part}`,
    comment: `${folder}/${part} uses nothing of ${parts.slice(0, place + 1).join(', ')}.`,
    severity: 'error',
    from: { path: `^${folder}/${part}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: `^${folder}/(${parts.slice(0, place + 1).join('|')})/` },
  }));
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'features-stand-apart',
      comment: 'A feature imports no other feature. What two need goes into a folder below both.',
      severity: 'error',
      from: { path: `^src/(${features})/` },
      to: { path: `^src/(${features})/`, pathNot: '^src/$1/' },
    },
    {
      name: 'nothing-needs-a-feature',
      comment:
        'Only the application, its start, the command line and the endpoint for agents know the features.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          `^src/(${features})/`,
          '^src/cli/',
          '^src/mcp/',
          '^src/runtime/start/',
          '^src/app\\.module\\.ts$',
        ],
      },
      to: { path: `^src/(${features})/` },
    },
    {
      name: 'outermost-by-nobody',
      comment: 'The command line, the endpoint for agents and the start stand outside of everything.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli/|mcp/|runtime/start/|main\\.ts$|app\\.module\\.ts$)' },
      to: { path: '^src/(cli|mcp|runtime/start)/' },
    },
    ...downwards('flows', 'src', flows),
    ...downwards('rooms-of-common', 'src/common', rooms),
    ...downwards('rooms-of-runtime', 'src/runtime', ['start', 'opentelemetry', 'metrics', 'tracing']),
    ...downwards('rooms-of-database', 'src/database', ['schema', 'transaction', 'connection']),
    ...downwards('rooms-of-records', 'src/records', ['history', 'objects', 'changes']),
    ...downwards('rooms-of-platform_a', 'src/platforms/platform_a/writing', ['calls', 'refusals', 'fields']),
    ...downwards('rooms-of-platform_b', 'src/platforms/platform_b/writing', ['calls', 'refusals', 'fields']),
    ...downwards('rooms-of-mappings', 'libs/mapper/src/mapping', [
      'describing',
      'writing',
      'reading',
      'codecs',
    ]),
    ...downwards('rooms-of-the-console', 'libs/console/src/parts', ['dialogs', 'tables', 'words', 'values']),
    ...downwards('rooms-of-reconciliation', 'src/reconciliation', [
      'signoffs',
      'reviews',
      'files',
      'cases',
      'statement',
      'past',
      'freshness',
      'annotations',
      'comparisons',
    ]),
    ...downwards('rooms-of-sync', 'src/sync', ['execution', 'reading', 'absences', 'schedule', 'run']),
    ...downwards('rooms-of-outbox', 'src/outbox', ['operator', 'dispatch', 'outcome', 'command', 'history']),
    {
      name: 'flows-without-http',
      comment:
        'What serves features also works from the command line and in the background: it knows no request.',
      severity: 'error',
      from: { path: `^src/(${flows.join('|')}|platforms)/` },
      to: { path: [`^src/common/(?!errors/|headers/)`, '^src/app\\.module\\.ts$'] },
    },
    {
      name: 'port-below-its-users',
      comment:
        'A connector reads and writes records; it knows no run, no command of the outbox and no matching.',
      severity: 'error',
      from: { path: '^src/platforms/' },
      to: { path: `^src/(${flows.join('|')})/` },
    },
    {
      name: 'platforms-behind-the-port',
      comment: 'Nobody but the registry and its module knows which connectors there are.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platforms/', '\\.spec\\.ts$'] },
      to: { path: '^src/platforms/(?!credentials/)[^/]+/' },
    },
    {
      name: 'live-platforms-stand-apart',
      comment: 'One live platform knows nothing of another.',
      severity: 'error',
      from: { path: '^src/platforms/(platform_[a-z]+)/' },
      to: { path: '^src/platforms/platform_', pathNot: '^src/platforms/$1/' },
    },
    {
      name: 'database-at-the-bottom',
      comment: 'The database stands on what runs the service, and on nothing that knows what is stored.',
      severity: 'error',
      from: { path: '^src/database/' },
      to: {
        path: '^src/',
        pathNot: '^src/(database|runtime/(config|fairness|logging|tracing))/|^src/runtime/clock/deadline',
      },
    },
    {
      name: 'runtime-below-http',
      comment: 'What runs the service serves no request.',
      severity: 'error',
      from: { path: '^src/runtime/', pathNot: '^src/runtime/start/' },
      to: { path: '^src/(?!runtime/|database/|common/errors/)' },
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
      to: { path: ['^src', '^migrations', '^libs/behaviour', ...frameworks] },
    },
    {
      name: 'behaviour-is-pure',
      comment: 'How a platform behaves needs the mapper alone, by its index.',
      severity: 'error',
      from: { path: '^libs/behaviour' },
      to: { path: ['^src', '^migrations', '^libs/(?!behaviour|mapper/src/index\\.ts$)', ...frameworks] },
    },
    {
      name: 'behaviour-behind-connectors',
      comment: 'The service meets the behaviour of platforms through connectors only.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platforms/', '\\.spec\\.ts$'] },
      to: { path: '^libs/behaviour' },
    },
    {
      name: 'simulators-stand-apart',
      comment:
        'The HTTP servers of the platforms are made from what is known of them, never from our client of them.',
      severity: 'error',
      from: { path: '^tools/simulators', pathNot: '\\.spec\\.ts$' },
      to: {
        path: ['^src', '^migrations', '^libs/(?!(mapper|behaviour)/src/index\\.ts$)', ...frameworks],
      },
    },
    {
      name: 'service-without-simulators',
      severity: 'error',
      from: { path: ['^src', '^libs'], pathNot: '\\.spec\\.ts$' },
      to: { path: '^tools/' },
    },
    {
      name: 'platforms-stand-apart',
      comment: 'A third platform is one more folder in each library; platforms never import each other.',
      severity: 'error',
      from: {
        path: '^(libs/mapper/src/platforms|libs/behaviour/src|tools/simulators/src)/(platform_[a-z]+)/',
      },
      to: { path: '^$1/platform_', pathNot: '^$1/$2/' },
    },
    {
      name: 'client-stands-apart',
      comment:
        'The client knows the service by its description only, and the service does not know the client.',
      severity: 'error',
      from: { path: '^libs/client', pathNot: '\\.spec\\.ts$' },
      to: { path: ['^src', '^migrations', '^libs/(mapper|behaviour)', 'node_modules/@nestjs'] },
    },
    {
      name: 'service-without-client',
      severity: 'error',
      from: { path: ['^src', '^libs/(mapper|behaviour)'] },
      to: { path: '^libs/client' },
    },
    {
      name: 'console-uses-the-api',
      comment:
        'The console knows the service by the client, and of the mapper the decimals of currencies alone.',
      severity: 'error',
      from: { path: '^libs/console', pathNot: '\\.spec\\.ts$' },
      to: {
        path: [
          '^(src|migrations|tools)/',
          '^libs/(?!console/|client/src/index\\.ts$|mapper/src/money/currencies\\.ts$)',
          ...frameworks,
        ],
      },
    },
    {
      name: 'browsers-have-no-node',
      comment: 'Browsers run the console and the client.',
      severity: 'error',
      from: { path: '^libs/(console|client)/src', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'screens-stand-apart',
      comment: 'A screen imports no other screen. What two need is a part, or a file beside the routes.',
      severity: 'error',
      from: { path: '^libs/console/src/(?!(?:parts|session|data|requests|shell)/)([^/]+)/' },
      to: {
        path: '^libs/console/src/(?!(?:parts|session|data|requests|shell)/)[^/]+/',
        pathNot: '^libs/console/src/$1/',
      },
    },
    {
      name: 'nobody-needs-the-console',
      severity: 'error',
      from: { pathNot: '^libs/console' },
      to: { path: '^libs/console' },
    },
    {
      name: 'libraries-by-their-face',
      comment:
        'The service imports a library from its index only; its tests may use what the library tests with.',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/(mapper|behaviour)/src/', pathNot: '^libs/(mapper|behaviour)/src/index\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
