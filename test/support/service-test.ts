import { test } from 'vitest';
import type { TestModule } from './caller.ts';
import { makeModule } from './machine-access.ts';
import { startTestApp, type TestApp, type TestAppOptions, type TestOrganization } from './test-app.ts';

/** A test's fixtures by name; each is made when the first test of a file uses it, and the app is stopped at its end. */
export interface ServiceFixtures {
  /** The service on a database of its own: the API over HTTP and a worker, in this process. */
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  /** A farmer of the vendor's tenant. */
  readonly farmer: TestOrganization;
  /** A module of the vendor with a key, of the sample package. */
  readonly module: TestModule;
}

/**
 * The `test` of a file that calls the service. A whole test file:
 *
 *     import { expect } from 'vitest';
 *     import { importSample } from '../support/import-sample.ts';
 *     import { serviceTest } from '../support/service-test.ts';
 *
 *     const test = serviceTest({ settings: { MAX_IMPORTS_PER_MINUTE: '0' } });
 *
 *     test('a farmer installs a module', async ({ app, vendor, farmer }) => {
 *       const moduleId = await importSample(app, vendor, { descriptor: { scope: 'soil' } });
 *       const answer = await app.as(farmer).put(`/installations/${moduleId}`);
 *       expect(answer.status, answer.text).toBe(201);
 *     });
 *
 * - `app.as(…)` calls as an organization, a module's back end or `'operator'`; each answer must match
 *   `/openapi.json`. `app.as(vendor, vendor.member)` uses another token, `app.as(vendor, null)` none.
 * - `samplePackage(catalogue, { descriptor, files })` is the package, `app.importPackage(vendor, zip)` uploads it, and
 *   `importSample` does both and returns the module's ID.
 * - The database, the queue and the objects belong to the file; its tests run in any order and share them, so each makes
 *   the modules and organizations that it counts.
 * - Run it: `npx vitest run test/integration/NAME.test.ts`; with Redis and versitygw installed, on those too.
 */
export function serviceTest(options: TestAppOptions = {}) {
  return test.extend<ServiceFixtures>({
    app: [
      async ({}, use) => {
        const app = await startTestApp(options);
        await use(app);
        await app.stop();
      },
      { scope: 'file' },
    ],
    vendor: [async ({ app }, use) => use(await app.organization()), { scope: 'file' }],
    farmer: [
      async ({ app, vendor }, use) =>
        use(await app.organization({ kind: 'farmer', tenantId: vendor.tenantId })),
      { scope: 'file' },
    ],
    module: [async ({ app, vendor }, use) => use(await makeModule(app, vendor)), { scope: 'file' }],
  });
}
