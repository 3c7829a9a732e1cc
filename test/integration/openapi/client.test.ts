import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../../../shared/client/api-client.ts';
import { makeModule } from '../../support/machine-access.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

test('without credentials the client makes public calls, and gets 401 for others', async () => {
  const client = createApiClient(app.url);
  const { data } = await client.GET('/api/v8.0/limits');
  expect(data?.maxEntries).toBe(app.config.limits.maxEntries);
  const { error, response } = await client.GET('/api/v8.0/CommonData');
  expect([response.status, error?.type]).toEqual([401, '/problems/auth-token-invalid']);
});

test('with a token it reads a vendor’s modules, with a key the data that the module may read', async () => {
  const vendor = await app.organization();
  const { moduleId, key } = await makeModule(app, vendor);
  const token = vendor.admin.replace('Bearer ', '');
  const modules = await createApiClient(`${app.url}/`, { token }).GET('/api/v8.0/{orgId}/modules', {
    params: { path: { orgId: vendor.id }, query: { limit: 1 } },
  });
  expect(modules.data?.items.map(({ id }) => id)).toEqual([moduleId]);
  const machine = createApiClient(app.url, { apiKey: key });
  const structures = await machine.GET('/api/v8.0/Alerts/StructuresByModuleId/{moduleId}', {
    params: { path: { moduleId } },
  });
  expect(structures.data).toMatchObject({ moduleId, organizations: [], nextCursor: null });
});
