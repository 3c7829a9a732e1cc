import { writeZip, type ZipFile } from '../package/archive/write-zip.ts';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { COLD_FIELD, DEMONSTRATION_FARMS, DRY_FIELD, WATERED_FIELD } from './demonstration-farms.ts';
import { DEMONSTRATION } from './demonstration.ts';

/** The module of the demonstration. It is not the example itself, which people import as their first module. */
const MODULE_ID = 'a1c0ffee-0000-4000-8000-000000000010';
const VENDOR = `/${DEMONSTRATION.vendor.id}`;
const FARMER = `/${DEMONSTRATION.meadowFarm.id}`;

/** A running service, and how its callers authenticate. */
export interface DemonstrationService {
  readonly url: string;
  /** Access tokens of the administrators. */
  readonly vendorToken: string;
  readonly farmerToken: string;
  /** The files of the example module. */
  readonly example: readonly ZipFile[];
  /** Makes a rule look as if it had been created days ago: no call can. */
  ageRule(ruleId: string): Promise<void>;
}

/**
 * Writes what the first look at the portal shows: a module in two revisions, a farmer who has installed it, farms, rules
 * and alerts. It does so once, by the calls that anyone makes; after an interruption the next start continues.
 */
export async function writeDemonstration(service: DemonstrationService): Promise<void> {
  const { url, vendorToken, farmerToken, example } = service;
  const asVendor = caller(url, { Authorization: `Bearer ${vendorToken}` });
  const asFarmer = caller(url, { Authorization: `Bearer ${farmerToken}` });
  // Alerts are written last, and nobody can delete them.
  const existing = await asFarmer<Page>('GET', `${FARMER}/alerts?limit=1`);
  if (existing.items.length > 0) return;
  for (const version of ['1.0.0', '1.1.0'])
    await asVendor('POST', `${VENDOR}/ImportModuleAsync`, await packageForm(example, version));
  await asFarmer('PUT', `${FARMER}/structures`, { farms: DEMONSTRATION_FARMS });
  await asFarmer('PUT', `${FARMER}/installations/${MODULE_ID}`);
  const rules = await asFarmer<Page>('GET', `${FARMER}/alertRules?moduleId=${MODULE_ID}`);
  const ruleIds = rules.items.map(({ id }) => id).toReversed();
  for (const rule of RULES.slice(ruleIds.length))
    ruleIds.push((await asFarmer<Item>('POST', `${FARMER}/alertRules`, { moduleId: MODULE_ID, ...rule })).id);
  // The module never reports the first rule, which stays the oldest: the portal shows that.
  const [neverReported = '', ...reported] = ruleIds;
  await service.ageRule(neverReported);
  const { clientSecret } = await asVendor<{ clientSecret: string }>(
    'POST',
    `${VENDOR}/registerApiClient/${MODULE_ID}`,
    { clientName: 'Demonstration back end' },
  );
  const asModule = caller(url, { 'X-Api-Key': clientSecret });
  await asModule('GET', `/Alerts/StructuresByModuleId/${MODULE_ID}`);
  await asModule('POST', `/Alerts/AlertsByModuleId/${MODULE_ID}`, { alerts: alertsOf(reported) });
}

interface Item {
  readonly id: string;
}

interface Page {
  readonly items: readonly Item[];
}

/** The first of its errors is enough to find the cause: the whole answer would fill the screen. */
interface Refusal {
  readonly detail?: string;
  readonly errors?: readonly { readonly detail: string }[];
}

/** Calls the API with these credentials. @throws Error where a call is refused. */
function caller(url: string, credentials: Readonly<Record<string, string>>) {
  return async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/api/v8.0${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = JSON.parse(text) as Body & Refusal;
    if (response.ok) return answer;
    const { detail = '', errors: [first] = [] } = answer;
    throw new Error(
      `${method} ${path} was answered with ${response.status}: ${detail} ${first?.detail ?? ''}`.trimEnd(),
    );
  };
}

/** The example module under an ID, a scope and names of its own. */
async function packageForm(
  example: readonly ZipFile[],
  vendorInternalCodeVersion: string,
): Promise<FormData> {
  const files = example.map((file) =>
    file.path === DESCRIPTOR_PATH
      ? { ...file, content: descriptorOf(file.content, vendorInternalCodeVersion) }
      : file,
  );
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of writeZip(files)) pieces.push(new Uint8Array(piece));
  const form = new FormData();
  form.set('file', new Blob(pieces), `field-watch-${vendorInternalCodeVersion}.zip`);
  return form;
}

function descriptorOf(content: Buffer, vendorInternalCodeVersion: string): Buffer {
  const descriptor = JSON.parse(content.toString()) as { readonly translations: readonly object[] };
  const translations = descriptor.translations.map((each) => ({ ...each, moduleName: 'Field Watch' }));
  const own = { moduleId: MODULE_ID, scope: 'fieldWatch', vendorInternalCodeVersion, translations };
  return Buffer.from(JSON.stringify({ ...descriptor, ...own }));
}

const RULES = [
  {
    name: 'Warm enough to sow',
    criteria: 'soilTemperature',
    values: { operator: 'gt', value: 10, since: '2026-03-01' },
  },
  { name: 'Too dry', criteria: 'soilMoisture', values: { operator: 'lt', value: 18 } },
  {
    name: 'Cold soil',
    criteria: 'soilTemperature',
    values: { operator: 'lt', value: 8, since: '2026-03-01' },
  },
];

const HOUR_MS = 3_600_000;

function alertsOf([tooDry, coldSoil]: readonly string[]): readonly object[] {
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
  const onField = (id: string) => ({ target: { type: 'field', id } });
  return [
    {
      ...{ ruleId: tooDry, ...onField(DRY_FIELD), status: 'firing', severity: 'critical', startsAt: ago(3) },
      ...{ title: 'Potato field is dry', message: 'Irrigate within a day, in the evening if possible.' },
      ...{ value: 12.4, labels: { depth: '30 cm', sensor: 'potato-2' } },
    },
    {
      ...{ ruleId: coldSoil, ...onField(COLD_FIELD), status: 'firing', severity: 'info', startsAt: ago(20) },
      ...{ title: 'Long acre is cold', message: 'Wait with sowing until the soil is warmer.' },
      ...{ value: 6.1, labels: { depth: '10 cm' } },
    },
    {
      ...{ ruleId: tooDry, ...onField(WATERED_FIELD), status: 'resolved', severity: 'warning' },
      ...{ startsAt: ago(50), endsAt: ago(26), title: 'Upper field is dry', value: 16.8 },
      ...{ message: 'It has rained since.', labels: { depth: '30 cm' } },
    },
  ];
}
