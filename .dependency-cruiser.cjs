/** Who may import whom. `npm run check` fails on each breach. */
const only = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    only('no-cycles', {}, { circular: true }, 'Cycles hide who depends on whom.'),
    only(
      'api-not-worker',
      { path: '^api/' },
      { path: '^worker/' },
      'The API and the worker meet in the database and the queue.',
    ),
    only(
      'worker-not-api',
      { path: '^worker/' },
      { path: '^api/' },
      'The API and the worker meet in the database and the queue.',
    ),
    only('shared-stands-alone', { path: '^shared/' }, { path: '^(api|worker)/' }, 'Both stand on shared/.'),
    only(
      'nothing-imports-test',
      { path: '^(api|worker|shared)/' },
      { path: '^test/' },
      'Tests look at the product, never the reverse.',
    ),
    only(
      'package-core-is-pure',
      { path: '^shared/package/' },
      {
        pathNot: [
          '^shared/package/',
          '^node_modules/(yauzl|ajv|yaml|saxes|typebox|@humanwhocodes/momoa|@types)/',
        ],
        dependencyTypesNot: ['core'],
      },
      'The worker, the API and the command line use the very same rules: no config, log, database, storage or queue in them. TypeBox makes the types of files follow from their schemas.',
    ),
    only(
      'structures-are-pure',
      { path: '^shared/structures/' },
      {
        pathNot: [
          '^shared/structures/',
          '^shared/package/(text/json-pointer|text/country-codes|schema/(schema-parts|normal-form|read-members))\\.ts$',
          '^node_modules/(ajv|lru-cache|robust-predicates|@turf/area)/',
        ],
      },
      'The rules of farm structures know neither requests nor tables.',
    ),
    only(
      'command-line-is-light',
      { path: '^shared/cli/', pathNot: '^shared/cli/vite\\.config' },
      {
        pathNot: [
          '^shared/(cli|client|package|catalogue|webhooks)/',
          '^node_modules/(commander|ignore|string-width|eventsource-parser|@types)/',
        ],
        dependencyTypesNot: ['core'],
      },
      'The command line is a package of its own: the rules, the catalogue, the signing of webhooks, the typed client and small libraries. Its build configuration is no part of it.',
    ),
    only(
      'nothing-imports-the-command-line',
      { path: '^(api|worker|shared)/', pathNot: '^shared/cli/' },
      { path: '^shared/cli/' },
      'The command line is installed alone, and the service runs without it.',
    ),
    only(
      'nothing-imports-the-local-stack',
      { path: '^(api|worker|shared)/', pathNot: '^shared/local/' },
      { path: '^shared/local/' },
      'The local stack runs the service on one machine: it is no part of the image.',
    ),
    only(
      'one-place-for-sql',
      {
        path: '^(api|worker|shared)/',
        pathNot: ['^shared/db/', '^shared/process/context\\.ts$', '^shared/local/'],
      },
      { path: '^node_modules/(knex|objection|pg|pg-cursor)/', dependencyTypesNot: ['type-only'] },
      'All SQL lives in shared/db/; the local stack talks to the server that it starts.',
    ),
    only(
      'one-place-for-the-queue',
      {
        path: '^(api|worker|shared)/',
        pathNot: [
          '^shared/queue/',
          '^worker/main\\.ts$',
          '^api/queue-dashboard/',
          '^shared/db/migrate\\.ts$',
        ],
      },
      { path: '^node_modules/bullmq/' },
      'The queue has one face.',
    ),
    only(
      'one-place-for-storage',
      { path: '^(api|worker|shared)/', pathNot: '^shared/storage/' },
      { path: '^node_modules/@aws-sdk/' },
      'Storage has one face.',
    ),
    only(
      'tracing-is-loaded-when-it-is-on',
      { path: '^(api|worker|shared)/', pathNot: ['^shared/telemetry/trace-export\\.ts$'] },
      { path: '^node_modules/@opentelemetry/(?!api/)', dependencyTypesNot: ['type-only'] },
      'Only the light API of OpenTelemetry is always there.',
    ),
    only(
      'express-only-in-api',
      { path: '^(worker|shared)/' },
      { path: '^node_modules/express/' },
      'Only the API answers HTTP with Express.',
    ),
    only(
      'browser-code-stands-alone',
      { path: '^api/portal/pages/' },
      {
        pathNot: [
          '^api/portal/pages/',
          '^shared/structures/(check-geometry|surface-area)\\.ts$',
          '^node_modules/(preact|marked|@picocss/pico|shpjs|proj4|@tmcw/togeojson|@xmldom/xmldom|@zip\\.js/zip\\.js)/',
        ],
        dependencyTypesNot: ['type-only'],
      },
      'Of the service the browser gets types alone, and the rules of geometries: it talks to the API.',
    ),
    only(
      'server-takes-no-browser-code',
      { path: '^(api|worker|shared)/', pathNot: '^api/portal/pages/' },
      { path: '^api/portal/pages/' },
      'What runs in a browser is built, not imported.',
    ),
    only('no-unresolved', {}, { couldNotResolve: true }, 'Every import is there.'),
    only(
      'no-dev-dependencies',
      {
        path: '^(api|worker|shared)/',
        pathNot: ['^api/portal/(pages/|vite\\.config)', '^shared/(cli|client|local)/'],
      },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^node_modules/@types/' },
      'What runs in production is installed in production. The portal and the command line, with its client, are bundled; npm start installs all.',
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types'],
    },
  },
};
