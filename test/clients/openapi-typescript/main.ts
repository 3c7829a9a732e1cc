import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths } from './schema';

const { API_URL: baseUrl, API_TOKEN, VENDOR_ID: orgId = '', PACKAGE = '' } = process.env;
const { FARM_ID = '', RULE_ID = '', CLIENT = '' } = process.env;

const vendor = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${API_TOKEN}` } });
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

const backEnd = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key.data.clientSecret ?? '' } });
const structures = await backEnd.GET('/api/v8.0/Alerts/StructuresByModuleId/{moduleId}', {
  params: { path: { moduleId } },
});
if (typeof structures.data !== 'object' || !('organizations' in structures.data))
  throw new Error(structures.error?.detail);
const farm = structures.data.organizations[0]?.farms.find(({ id }) => id === FARM_ID);
if (farm === undefined) throw new Error('the farm is missing');

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
