import { readFile } from 'node:fs/promises';
import { importModule, raiseAlerts, readModuleStructures, registerApiClient } from './client';
import { client } from './client/client.gen';

const { API_URL: baseUrl, API_TOKEN, VENDOR_ID: orgId = '', PACKAGE = '' } = process.env;
const { FARM_ID = '', RULE_ID = '', CLIENT = '' } = process.env;
let key = '';

client.setConfig({
  baseUrl,
  throwOnError: true,
  auth: ({ scheme }) => (scheme === 'bearer' ? API_TOKEN : key),
});

const file = new Blob([new Uint8Array(await readFile(PACKAGE))]);
const imported = await importModule({ path: { orgId }, body: { file }, throwOnError: true });
if (!('status' in imported.data)) throw new Error('the import still runs');
const moduleId = imported.data.moduleId ?? '';

const registered = await registerApiClient({ path: { orgId, moduleId }, throwOnError: true });
key = registered.data.clientSecret ?? '';

const structures = await readModuleStructures({ path: { moduleId }, throwOnError: true });
if (typeof structures.data !== 'object' || !('organizations' in structures.data))
  throw new Error('the answer is not JSON');
const farm = structures.data.organizations[0]?.farms.find(({ id }) => id === FARM_ID);
if (farm === undefined) throw new Error('the farm is missing');

const raised = await raiseAlerts({
  path: { moduleId },
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
  throwOnError: true,
});
console.log(raised.data.results[0]?.outcome);
