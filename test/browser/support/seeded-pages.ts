import { expect } from 'vitest';
import { CI_CLAIMS } from '../../support/ci-issuer.ts';
import { PIXEL, samplePackage } from '../../support/sample-package.ts';
import { packageForm } from '../../support/package-form.ts';
import { FARM_ID, VENDOR_ID, type PortalStack } from './portal-stack.ts';

const FIELD_ID = '5f1b2c3d-0000-4000-8000-00000000000f';

const FARM = {
  id: '5f1b2c3d-0000-4000-8000-000000000001',
  name: 'Home farm',
  boundary: rectangle(9.99, 53.49, 10.03, 53.51),
  fields: [
    {
      id: FIELD_ID,
      name: 'North field',
      boundary: rectangle(9.995, 53.501, 10.01, 53.508),
      blocks: [
        {
          id: '5f1b2c3d-0000-4000-8000-00000000000b',
          name: 'Row 1',
          geometry: rectangle(9.997, 53.502, 10.001, 53.507),
        },
      ],
    },
    {
      id: '5f1b2c3d-0000-4000-8000-00000000001f',
      name: 'Brook field',
      boundary: rectangle(10.012, 53.492, 10.028, 53.505),
    },
  ],
  irrigationStations: [
    {
      id: '5f1b2c3d-0000-4000-8000-00000000000e',
      name: 'Pump',
      kind: 'pump',
      location: { type: 'Point', coordinates: [10.011, 53.5] },
    },
  ],
};

function rectangle(west: number, south: number, east: number, north: number) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

/** Calls the API as a demonstration account. */
export async function callAs(
  { app, bearer }: PortalStack,
  account: string,
  call: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = call.split(' ');
  const answer = await app.fetch(`/api/v8.0${path}`, {
    method,
    headers: { Authorization: await bearer(account), 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body as Record<string, unknown>;
}

/** A package with a name in two languages, a raster logo, and data areas. */
export function namedPackage(
  stack: PortalStack,
  members: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): Buffer {
  const { catalogue } = stack.app.api;
  const idOf = (set: string, key: string) => catalogue.entry(set, key)?.id;
  const descriptor = {
    scope: 'soilMoisture',
    typeId: idOf('types', 'application'),
    categoryId: idOf('categories', 'irrigation'),
    cropIds: [idOf('crops', 'potato'), '5f1b2c3d-0000-4000-8000-0000000000cc'],
    dataAreaIds: [idOf('dataAreas', 'FarmOrganization'), idOf('dataAreas', 'FarmOrganizationAlerts')],
    translations: [
      { languageId: catalogue.englishId, moduleName: 'Soil moisture', description: 'Says when to irrigate.' },
      { languageId: idOf('languages', 'de'), moduleName: 'Bodenfeuchte' },
    ],
    ...members,
  };
  return samplePackage(catalogue, { descriptor, files: { 'ModuleLogo/logo.png': PIXEL, ...files } });
}

/** Imports a package as the vendor; returns the module's ID. */
export async function importAsVendor({ app, bearer }: PortalStack, zip: Buffer, query = ''): Promise<string> {
  const answer = await app.fetch(`/api/v8.0/${VENDOR_ID}/ImportModuleAsync${query}`, {
    method: 'POST',
    headers: { Authorization: await bearer('vendor-admin') },
    body: packageForm(zip),
  });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.moduleId);
}

/** Writes the farm and installs a module on it. */
export async function installOnFarm(stack: PortalStack, moduleId: string): Promise<void> {
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/structures`, { farms: [FARM] });
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`, {});
}

/** Creates a rule on the farm; returns its ID. */
export async function makeRule(stack: PortalStack, moduleId: string): Promise<string> {
  const body = { moduleId, criteria: 'temperature', values: { operator: 'gt', value: 30 } };
  const rule = await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/alertRules`, body);
  return String(rule['id']);
}

/** Creates an API key for a module. */
export async function makeKey(stack: PortalStack, moduleId: string): Promise<string> {
  const key = await callAs(stack, 'vendor-admin', `POST /${VENDOR_ID}/registerApiClient/${moduleId}`, {
    clientName: 'Advice server',
  });
  return String(key['clientSecret']);
}

/** Raises an alert under a rule with a module's key. */
export async function raiseAlert(
  { app }: PortalStack,
  moduleId: string,
  key: string,
  ruleId: string,
  members: object = {},
): Promise<void> {
  const alert = {
    ruleId,
    target: { type: 'field', id: FIELD_ID },
    status: 'firing',
    severity: 'warning',
    startsAt: '2026-11-20T09:30:00Z',
    title: 'Hot field',
    message: 'Water it this evening.',
    value: 31.5,
    labels: { sensor: 'north' },
    ...members,
  };
  const answer = await app.fetch(`/api/v8.0/Alerts/AlertsByModuleId/${moduleId}`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ alerts: [alert] }),
  });
  expect(answer.status, answer.text).toBe(200);
}

/** Trusts a repository to import a module. */
async function trustRepository(stack: PortalStack, moduleId: string): Promise<void> {
  const issuer = 'https://token.actions.githubusercontent.com';
  await callAs(stack, 'vendor-admin', `PUT /${VENDOR_ID}/trustedPublishers/${moduleId}`, {
    items: [{ issuer, audience: stack.app.url, claims: CI_CLAIMS }],
  });
}

/** Registers a webhook that is paused: nothing is called. */
async function registerWebhook(stack: PortalStack, moduleId: string): Promise<void> {
  const path = `/${VENDOR_ID}/webhooks/${moduleId}`;
  const url = 'https://hooks.example.com/modules/soil-moisture?environment=production';
  const settings = {
    url,
    types: ['rule.created', 'rule.changed', 'rule.deleted'],
    description: 'Advice server',
  };
  const { id } = await callAs(stack, 'vendor-admin', `POST ${path}`, settings);
  await callAs(stack, 'vendor-admin', `PATCH ${path}/${String(id)}`, { status: 'paused' });
}

/** Adds data for every page. Returns the module's ID. */
export async function seedPages(stack: PortalStack): Promise<string> {
  const moduleId = await importAsVendor(stack, namedPackage(stack));
  await importAsVendor(stack, namedPackage(stack, { moduleId, vendorInternalCodeVersion: '2.0.0' }));
  await installOnFarm(stack, moduleId);
  const ruleId = await makeRule(stack, moduleId);
  await raiseAlert(stack, moduleId, await makeKey(stack, moduleId), ruleId);
  await trustRepository(stack, moduleId);
  await registerWebhook(stack, moduleId);
  return moduleId;
}
