import { expect } from 'vitest';
import { pointersOf } from './problem-pointers.ts';
import { importSample } from './import-sample.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from './test-app.ts';

/** A vendor and a farmer of one tenant on a service of their own, and their operations on alert rules. */
export interface RuleMarket {
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  readonly farmer: TestOrganization;
  /** Imports a module with this definition file (null: without one); returns its ID. */
  importModule(yaml?: string | null, descriptor?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Imports a module and installs it. */
  installed(yaml?: string | null, organization?: TestOrganization): Promise<string>;
  post(body: unknown, organization?: TestOrganization): Promise<Answer>;
  put(ruleId: string, body: unknown): Promise<Answer>;
  /** Creates a rule; returns its ID. */
  rule(moduleId: string, body?: object, organization?: TestOrganization): Promise<string>;
  read(ruleId: string): Promise<object>;
}

/** A definition whose criteria each have an operator and a number from -50. */
export function definition(max: number, ...criteria: readonly string[]): string {
  const lines = criteria.map(
    (name) => `  ${name}:
    displayName: { en: ${name} }
    parts:
      operator: { field: select, title: { en: Operator }, options: { gt: { en: over }, lt: { en: under } } }
      value: { field: number, title: { en: Value }, min: -50, max: ${max} }`,
  );
  return ['schema: !!float 1.1', 'criterias:', ...lines].join('\n');
}

/** The members that a rule under `temperature` needs. */
export const GOOD_RULE = { criteria: 'temperature', values: { operator: 'gt', value: 20 } };

export async function startRuleMarket(): Promise<RuleMarket> {
  const app = await startTestApp();
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const market: RuleMarket = {
    app,
    vendor,
    farmer,
    importModule: (yaml = definition(60, 'temperature'), descriptor = {}) =>
      importSample(app, vendor, { descriptor, files: { 'AlertRuleDefinitionFile/alert-rules.yaml': yaml } }),
    async installed(yaml, organization = farmer) {
      const moduleId = await market.importModule(yaml);
      await app.as(organization).put(`/installations/${moduleId}`);
      return moduleId;
    },
    post: (body, organization = farmer) => app.as(organization).post('/alertRules', body),
    put: (ruleId, body) => app.as(farmer).put(`/alertRules/${ruleId}`, body),
    async rule(moduleId, body = GOOD_RULE, organization = farmer) {
      const answer = await market.post({ moduleId, ...body }, organization);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.id as string;
    },
    read: async (ruleId) => (await app.as(farmer).get(`/alertRules/${ruleId}`)).body as object,
  };
  return market;
}

/** Expects a 400 with errors at these pointers, in any order. */
export function expectErrors(answer: Answer, ...pointers: readonly string[]): void {
  expect([answer.status, answer.body.type], answer.text).toEqual([400, '/problems/request-invalid']);
  expect(pointersOf(answer).toSorted()).toEqual(pointers.toSorted());
  expect(answer.body.errorsTotal).toBe(pointers.length);
}
