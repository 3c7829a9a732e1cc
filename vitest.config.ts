import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { simulatedParts } from './test/lab/simulation/vite.config.mjs';
import { bundledThreads } from './test/support/bundled-threads.ts';
import { ON_OTHER_PARTS } from './test/support/on-other-parts.ts';
import { packagesOfNode } from './test/support/packages-of-node.ts';
import { RunSummary } from './test/support/run-summary.ts';
import { SpreadLongFiles } from './test/support/spread-long-files.ts';
import { S3_STORES, VERSITYGW } from './test/support/s3-stores.ts';
import { findPostgresFolder, findProgram } from './test/support/find-program.ts';

const isSimulated = process.env['SIMULATION'] === '1';
const requireAll = process.env['REQUIRE_ALL_PARTS'] === '1';
const redis = findProgram('redis-server');
const s3 = VERSITYGW.isInstalled() ? VERSITYGW.name : null;
const postgresFolder = findPostgresFolder();
const chromium = findProgram('chromium-headless-shell');

/** What the files of docs/deployment/ are for, and what checks them, each with how to install it. */
const DEPLOYMENT_PROGRAMS: Readonly<Record<string, string>> = {
  'systemd-analyze': 'Debian: apt-get install systemd',
  nginx: 'Debian: apt-get install nginx',
  caddy: 'Debian: apt-get install caddy',
  curl: 'Debian: apt-get install curl',
  rclone: 'Debian: apt-get install rclone',
  'kubectl-validate': 'go install sigs.k8s.io/kubectl-validate@v0.0.4',
  'compose-spec': 'go install github.com/compose-spec/compose-go/v2/cmd@v2.16.2; rename cmd to compose-spec',
};
const missingForDeployment = Object.entries(DEPLOYMENT_PROGRAMS)
  .filter(([name]) => findProgram(name) === null)
  .map(([name, howTo]) => `${name} (${howTo})`);

/** The suite again on other parts needs these; missing ones are reported, and with REQUIRE_ALL_PARTS=1 refused. */
function missingParts(): string[] {
  const missing: string[] = [];
  if (redis === null) missing.push('redis-server (Debian: apt-get install redis-server)');
  if (s3 === null) missing.push(`versitygw (${VERSITYGW.install.join().replaceAll(',', ' ')})`);
  if (postgresFolder === null) missing.push('postgresql with pg_dump (Debian: apt-get install postgresql)');
  if (chromium === null)
    missing.push('chromium-headless-shell (Debian: apt-get install chromium-headless-shell)');
  return missing;
}

const common = {
  setupFiles: ['test/support/closed-network.ts'],
  // Against hanging forever, not against slow machines: benchmarks measure time.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  sequence: { shuffle: true },
  // One worker for many files: loading the modules anew for each took longer than most files' tests.
  isolate: false,
  // Fewer collections of garbage: tests make much that is used once.
  execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=16'],
} as const;

/** No test of the inner circle starts another program than Node or those of PostgreSQL. */
const innerSetup = [...common.setupFiles, 'test/support/node-alone.ts'];

const plugins = [packagesOfNode(), bundledThreads()];

/** The embedded parts alone. */
const embedded = {
  globalSetup: ['test/support/start-parts.ts'],
  provide: { redisProgram: null, s3Store: null, chromiumProgram: null, postgresFolder: '' },
};

/** The inner circle: every rule of the product, with Node alone. `npm test` runs it. */
const projects: TestProjectConfiguration[] = [
  {
    plugins,
    test: {
      ...common,
      ...embedded,
      setupFiles: innerSetup,
      // One project: each worker of a project loads the product anew.
      name: 'inner',
      include: ['test/{unit,integration}/**/*.test.ts'],
    },
  },
];

// The outer circle: the parts and the environments. `.ci/run` runs both.
projects.push({
  plugins,
  test: {
    ...common,
    ...embedded,
    name: 'outer',
    include: ['test/outer/**/*.test.ts'],
    exclude: ['test/outer/production/**'],
  },
});
if (isSimulated) {
  // Its 5,000 seeds take a minute; `npm run simulate` runs any number by hand.
  projects.push({
    plugins: [simulatedParts()],
    test: { ...common, name: 'simulation', include: ['test/lab/simulation/**/*.test.ts'] },
  });
}
const missing = missingParts();
if (chromium !== null) {
  projects.push({
    plugins,
    test: {
      ...common,
      name: 'browser',
      include: ['test/browser/**/*.test.ts'],
      globalSetup: ['test/browser/support/build-portal.ts', 'test/support/start-parts.ts'],
      provide: { redisProgram: null, s3Store: null, chromiumProgram: chromium, postgresFolder: '' },
    },
  });
}
// `npm run test:keycloak` sets it.
if (chromium !== null && process.env['KEYCLOAK_HOME'] !== undefined) {
  projects.push({
    plugins,
    test: {
      ...common,
      name: 'keycloak',
      include: ['test/providers/keycloak.test.ts'],
      // An access token of Keycloak is valid for five minutes.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      globalSetup: ['test/browser/support/build-portal.ts', 'test/support/start-parts.ts'],
      provide: { redisProgram: null, s3Store: null, chromiumProgram: chromium, postgresFolder: '' },
    },
  });
}
if (redis !== null && s3 !== null && postgresFolder !== null) {
  const allParts = { redisProgram: redis, s3Store: s3, chromiumProgram: null, postgresFolder };
  projects.push({
    plugins,
    test: {
      ...common,
      name: 'Redis and S3',
      include: ON_OTHER_PARTS,
      globalSetup: ['test/support/start-parts.ts'],
      provide: allParts,
    },
  });
  // `.ci/image` sets it.
  if (process.env['IMAGE'] !== undefined) {
    projects.push({
      plugins,
      test: {
        ...common,
        name: 'image',
        include: ['test/image/**/*.test.ts'],
        globalSetup: ['test/support/start-parts.ts'],
        provide: allParts,
      },
    });
  }
  if (missingForDeployment.length === 0) {
    projects.push({
      plugins,
      test: {
        ...common,
        name: 'deployment',
        include: ['test/deployment/**/*.test.ts'],
        globalSetup: ['test/support/start-parts.ts'],
        provide: allParts,
      },
    });
  }
}
// `npm run test:stores` runs the tests that depend on the store with each of them.
const storeTests = [
  'test/integration/{storage,probe-storage,storage-away,import,export,export-ranges,module-files}.test.ts',
  'test/integration/collection-and-import.test.ts',
];
for (const { name } of S3_STORES.filter((each) => each.name === process.env['TEST_STORE'])) {
  projects.push({
    plugins,
    test: {
      ...common,
      name: `store: ${name}`,
      include: [...storeTests, `test/stores/${name}/**/*.test.ts`],
      globalSetup: ['test/support/start-parts.ts'],
      provide: { redisProgram: null, s3Store: name, chromiumProgram: null, postgresFolder: '' },
    },
  });
}
const allMissing = [...missing, ...missingForDeployment];
if (allMissing.length > 0 && requireAll)
  throw new Error(`REQUIRE_ALL_PARTS=1, but missing: ${allMissing.join(', ')}`);
if (missing.length > 0) {
  console.warn(`Left out: tests on Redis and S3 or in a browser. They need ${missing.join(' and ')}.`);
}
if (allMissing.length > 0) {
  console.warn(
    `Left out: tests of deployments and backups (docs/deployment). They need ${allMissing.join(' and ')}.`,
  );
}

/** For `.ci/run`, which counts the tests of all its runs. */
const reportFile = process.env['TEST_REPORT'];
const junit: ['junit', { outputFile: string }][] =
  reportFile === undefined ? [] : [['junit', { outputFile: reportFile }]];

export default defineConfig({
  test: {
    projects,
    maxWorkers: 3,
    // Keeps transformed modules for the next run.
    experimental: { fsModuleCache: true },
    sequence: { shuffle: true, sequencer: SpreadLongFiles },
    reporters: ['default', new RunSummary(), ...junit],
  },
});
