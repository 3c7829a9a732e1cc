import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { install, makeModule, makeRule, putFarms, sampleFarm } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

const AREAS = ['FarmOrganization', 'FarmOrganizationAlerts'] as const;
type Area = (typeof AREAS)[number];

/** Every combination of data areas. */
const COMBINATIONS: readonly (readonly Area[])[] = [
  [],
  ['FarmOrganization'],
  ['FarmOrganizationAlerts'],
  AREAS,
];

/** The state of a farmer's organization for a module: what it has accepted, or that it has not installed the module. */
const STATES = [...COMBINATIONS.map((accepted) => ({ accepted })), { accepted: null }];

interface Farmer {
  readonly organization: TestOrganization;
  readonly farm: ReturnType<typeof sampleFarm>;
  readonly accepted: readonly Area[] | null;
  readonly ruleId: string | null;
}

interface Market {
  readonly declared: readonly Area[];
  readonly module: TestModule;
  readonly farmers: readonly Farmer[];
}

let app: TestApp;
let markets: Market[];

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  markets = [];
  for (const declared of COMBINATIONS) markets.push(await openMarket(declared));
});

afterAll(() => app.stop());

/** A module that declares these areas, and a farmer in each possible state. */
async function openMarket(declared: readonly Area[]): Promise<Market> {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor, declared);
  const farmers: Farmer[] = [];
  for (const { accepted } of STATES) {
    const allowed = accepted?.filter((area) => declared.includes(area)) ?? null;
    const organization = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
    const farm = sampleFarm();
    await putFarms(app, organization, [farm]);
    if (allowed !== null) await install(app, organization, module.moduleId, allowed);
    const ruleId = allowed === null ? null : await makeRule(app, organization, module.moduleId);
    farmers.push({ organization, farm, accepted: allowed, ruleId });
  }
  return { declared, module, farmers };
}

const alertOf = ({ ruleId, farm }: Farmer) => ({
  ruleId,
  target: { type: 'farm', id: farm.id },
  status: 'firing',
  severity: 'info',
  startsAt: '2027-11-20T09:30:00Z',
  title: 'Test',
  message: '',
});

/** Every call, in every representation, by the data area that it needs. */
const READS: readonly (readonly [call: string, area: Area, accept: string])[] = [
  ['StructuresByModuleId', 'FarmOrganization', 'application/json'],
  ['StructuresByModuleId', 'FarmOrganization', 'application/x-ndjson'],
  ['StructuresByModuleId', 'FarmOrganization', 'application/geo+json'],
  ['StructuresByModuleId', 'FarmOrganization', 'text/plain'],
  ['RulesByModuleId', 'FarmOrganizationAlerts', 'application/json'],
];

const name = (areas: readonly string[]) => (areas.length === 0 ? 'nothing' : areas.join(' and '));

describe.each(COMBINATIONS.map((declared, index) => [name(declared), index] as const))(
  'a module that declares %s',
  (_title, index) => {
    test.each(READS)(
      '%s needs %s, as %s: it returns only organizations that have accepted it',
      async (call, area, accept) => {
        const { declared, module, farmers } = market(index);
        const answer = await app.as(module).get(`/${call}`, { Accept: accept });
        if (!declared.includes(area)) {
          expectMissing(answer);
          for (const farmer of farmers) expect(answer.text).not.toContain(farmer.organization.id);
          return;
        }
        expect(answer.status, answer.text).toBe(200);
        for (const { organization, farm, accepted, ruleId } of farmers) {
          const isOpen = accepted?.includes(area) === true;
          expect(answer.text.includes(organization.id), name(accepted ?? ['not installed'])).toBe(isOpen);
          const content = call === 'RulesByModuleId' ? (ruleId ?? 'no rule') : farm.id;
          expect(answer.text.includes(content)).toBe(isOpen);
        }
        for (const other of markets.filter((each) => each.module !== module))
          for (const { organization } of other.farmers) expect(answer.text).not.toContain(organization.id);
      },
    );

    test.each(
      STATES.map(
        ({ accepted }, state) =>
          [accepted === null ? 'has not installed it' : name(accepted), state] as const,
      ),
    )('raises alerts only where they were accepted; the farmer: %s', async (_state, state) => {
      const { declared, module, farmers } = market(index);
      const farmer = farmers[state];
      if (farmer === undefined) throw new Error('no such farmer');
      const rule = farmer.ruleId ?? markets[3]?.farmers[3]?.ruleId;
      const answer = await app
        .as(module)
        .post('/AlertsByModuleId', { alerts: [{ ...alertOf(farmer), ruleId: rule }] });
      if (!declared.includes('FarmOrganizationAlerts')) expectMissing(answer);
      else
        expect(answer.status).toBe(farmer.accepted?.includes('FarmOrganizationAlerts') === true ? 200 : 400);
      const stored = await app.api.database('alerts').where({ organizationId: farmer.organization.id });
      expect(stored).toHaveLength(answer.status === 200 ? 1 : 0);
    });

    test('reads definitions only with the data area of alerts', async () => {
      const { declared, module } = market(index);
      const answer = await app.as(module).get('/RuleDefinitionsByModuleId');
      if (declared.includes('FarmOrganizationAlerts')) expect(answer.status).toBe(200);
      else expectMissing(answer);
    });

    test.each([...READS.map(([call]) => call), 'RuleDefinitionsByModuleId'])(
      "%s refuses another module's key with 403",
      async (call) => {
        const { module } = market(index);
        const other = market((index + 1) % markets.length).module;
        const answer = await app.as({ ...module, key: other.key }).get(`/${call}`);
        expect(answer.body).toMatchObject({ status: 403, type: '/problems/auth-forbidden' });
      },
    );
  },
);

function market(index: number): Market {
  const found = markets[index];
  if (found === undefined) throw new Error('no such market');
  return found;
}

function expectMissing(answer: Answer): void {
  expect(answer.body).toMatchObject({ status: 403, type: '/problems/auth-data-area-missing' });
}

test("an alert's target must belong to the rule's organization", async () => {
  const { module, farmers } = market(3);
  const [one, two] = farmers.filter(({ accepted }) => accepted?.includes('FarmOrganizationAlerts') === true);
  if (one === undefined || two === undefined) throw new Error('the market is too small');
  const alerts = [{ ...alertOf(one), target: { type: 'farm', id: two.farm.id } }];
  const answer = await app.as(module).post('/AlertsByModuleId', { alerts });
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/alerts/0/target' }] });
});

test('a revision that declares more grants nothing for old installations; a new consent does', async () => {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor, ['FarmOrganizationAlerts']);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await putFarms(app, farmer, [sampleFarm()]);
  await install(app, farmer, module.moduleId);
  const wider = await makeModule(app, vendor, AREAS, { descriptor: { moduleId: module.moduleId } });
  const call = async () => (await app.as(wider).get('/StructuresByModuleId')).body.organizations as unknown[];
  expect(await call()).toHaveLength(0);
  await install(app, farmer, module.moduleId);
  expect(await call()).toHaveLength(1);
});

test('a revision that declares less withdraws what it no longer declares', async () => {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await putFarms(app, farmer, [sampleFarm()]);
  await install(app, farmer, module.moduleId);
  await makeModule(app, vendor, ['FarmOrganizationAlerts'], { descriptor: { moduleId: module.moduleId } });
  expectMissing(await app.as(module).get('/StructuresByModuleId'));
});
