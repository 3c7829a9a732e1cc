import { randomUUID } from 'node:crypto';
import { importSample } from './import-sample.ts';
import type { TestModule } from './caller.ts';
import type { SampleOptions } from './sample-package.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

export const BOTH_AREAS = ['FarmOrganization', 'FarmOrganizationAlerts'] as const;

/** IDs of data areas by their keys. */
export function areaIds(app: TestApp, keys: readonly string[]): string[] {
  return keys.map((key) => app.api.catalogue.entry('dataAreas', key)?.id ?? '');
}

/** Imports a module that declares the data areas, and makes a key for it. */
export async function makeModule(
  app: TestApp,
  vendor: TestOrganization,
  areas: readonly string[] = BOTH_AREAS,
  options: SampleOptions = {},
): Promise<TestModule> {
  const descriptor = { dataAreaIds: areaIds(app, areas), ...options.descriptor };
  const moduleId = await importSample(app, vendor, { ...options, descriptor });
  const registered = await app.as(vendor).post(`/registerApiClient/${moduleId}`);
  return { vendor, moduleId, key: registered.body.clientSecret as string };
}

/** Installs the module; the data areas that it requests are granted unless areas are named. */
export async function install(
  app: TestApp,
  farmer: TestOrganization,
  moduleId: string,
  areas?: readonly string[],
): Promise<void> {
  const body = areas === undefined ? undefined : { acceptedDataAreaIds: areaIds(app, areas) };
  const answer = await app.as(farmer).put(`/installations/${moduleId}`, body);
  if (answer.status >= 300) throw new Error(answer.text);
}

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [10, 50],
      [10.01, 50],
      [10.01, 50.01],
      [10, 50.01],
      [10, 50],
    ],
  ],
};

/** A farm with one field, one block in it, and one pump; IDs can be passed. */
export function sampleFarm(ids: { farm?: string; field?: string; block?: string; station?: string } = {}) {
  const { farm = randomUUID(), field = randomUUID(), block = randomUUID(), station = randomUUID() } = ids;
  return {
    id: farm,
    name: 'Home farm',
    boundary: SQUARE,
    fields: [
      {
        id: field,
        name: 'Long acre',
        boundary: SQUARE,
        blocks: [{ id: block, name: 'North', geometry: SQUARE }],
      },
    ],
    irrigationStations: [
      { id: station, name: 'Pump house', kind: 'pump', location: { type: 'Point', coordinates: [10, 50] } },
    ],
  };
}

/** Writes farms of an organization. */
export async function putFarms(
  app: TestApp,
  farmer: TestOrganization,
  farms: readonly unknown[],
): Promise<void> {
  const answer = await app.as(farmer).put('/structures', { farms });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** A rule of the sample package's criterion. */
export async function makeRule(app: TestApp, farmer: TestOrganization, moduleId: string): Promise<string> {
  const body = { moduleId, criteria: 'temperature', values: { operator: 'lt', value: 2 } };
  const answer = await app.as(farmer).post('/alertRules', body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id as string;
}

/** The source of alerts: a module with a key that a farmer has installed, with a farm and a rule. */
export interface AlertSource {
  readonly module: TestModule;
  readonly farmer: TestOrganization;
  readonly farm: ReturnType<typeof sampleFarm>;
  readonly ruleId: string;
}

/** Makes a module with a key, and a farmer of its tenant that has installed it, with one farm and one rule. */
export async function makeAlertSource(
  app: TestApp,
  farm = sampleFarm(),
  options: SampleOptions = {},
): Promise<AlertSource> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor, BOTH_AREAS, options);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId);
  await putFarms(app, farmer, [farm]);
  return { module, farmer, farm, ruleId: await makeRule(app, farmer, module.moduleId) };
}

/** An alert of the source's rule and farm, with labels of its own, so that tests do not collide. */
export function sampleAlert(
  { ruleId, farm }: AlertSource,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    ruleId,
    target: { type: 'farm', id: farm.id },
    status: 'firing',
    severity: 'warning',
    startsAt: '2027-11-20T09:30:00+01:00',
    title: 'Frost is near',
    message: 'Below 2 °C in the night.',
    labels: { test: randomUUID() },
    ...members,
  };
}
