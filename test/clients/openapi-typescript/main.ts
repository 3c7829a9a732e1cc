import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths } from './schema';

/** The answers that have other forms as well are JSON. */
type Json = 'application/json' | 'application/problem+json';

const { API_URL: baseUrl, API_TOKEN, VENDOR_ID: orgId = '', PACKAGE = '' } = process.env;
const { FARM_ID = '', RULE_ID = '', CLIENT = '' } = process.env;

const vendor = createClient<paths, Json>({ baseUrl, headers: { Authorization: `Bearer ${API_TOKEN}` } });
const form = new FormData();
form.set('file', new Blob([new Uint8Array(await readFile(PACKAGE))]), 'module.zip');
const imported = await vendor.POST('/api/v8.0/{orgId}/ImportModuleAsync', {
  params: { path: { orgId } },
  body: { file: '' },
  bodySerializer: () => form,
});
if (imported.data === undefined || !('status' in imported.data)) throw new Error(imported.error?.detail);
const moduleId = imported.data.moduleId ?? '';

const key = await vendor.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', {
  params: { path: { orgId, moduleId } },
});
if (key.data === undefined) throw new Error(key.error.detail);

const backEnd = createClient<paths, Json>({ baseUrl, headers: { 'X-Api-Key': key.data.clientSecret ?? '' } });
const structures = await backEnd.GET('/api/v8.0/Alerts/StructuresByModuleId/{moduleId}', {
  params: { path: { moduleId } },
});
if (structures.data === undefined) throw new Error(structures.error.detail);
const farm = structures.data.organizations[0]?.farms.find(({ id }) => id === FARM_ID);
if (farm === undefined) throw new Error('the farm is missing');

const changes = await backEnd.GET('/api/v8.0/Alerts/ChangesByModuleId/{moduleId}', {
  params: { path: { moduleId }, query: { cursor: '0', types: 'installation.created' } },
});
if (changes.data === undefined) throw new Error(changes.error.detail);
if (changes.data.items[0]?.organizationId !== structures.data.organizations[0]?.organizationId)
  throw new Error('the installation is not among the changes');

const raised = await backEnd.POST('/api/v8.0/Alerts/AlertsByModuleId/{moduleId}', {
  params: { path: { moduleId } },
  body: {
    alerts: [
      {
        ruleId: RULE_ID,
        target: { type: 'farm', id: farm.id },
        status: 'firing',
        severity: 'warning',
        startsAt: new Date().toISOString(),
        title: `Dry soil at ${farm.name}`,
        message: 'Irrigate within two days.',
        value: 18.5,
        labels: { client: CLIENT },
      },
    ],
  },
});
if (raised.data === undefined) throw new Error(raised.error.detail);
console.log(raised.data.results[0]?.outcome);
