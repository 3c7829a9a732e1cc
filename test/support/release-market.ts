import { randomUUID } from 'node:crypto';
import { samplePackage } from './sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from './test-app.ts';

type Members = Readonly<Record<string, unknown>>;

/** A vendor whose modules have revisions, and farmers of its tenant. */
export interface ReleaseMarket {
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  readonly farmer: TestOrganization;
  readonly other: TestOrganization;
  newFarmer(): Promise<TestOrganization>;
  /** Imports a new module; returns its ID. */
  importNext(descriptor?: Members): Promise<string>;
  /** Imports the next revision of a module. */
  next(moduleId: string | null, descriptor?: Members): Promise<Answer>;
  /** Imports the next revision of a module, or (null) a new module, without releasing it. */
  stage(moduleId: string | null, descriptor?: Members, alertRules?: string): Promise<Answer>;
  /** Imports the next revision of a module, which may have another scope. */
  rename(moduleId: string, descriptor: Members, query?: string): Promise<Answer>;
  /** Imports the package of an answer once more. */
  repeat(answer: Answer): Promise<Answer>;
  release(moduleId: string, revision: number, ring?: object): Promise<Answer>;
  preview(moduleId: string, revision: number, organizationIds: readonly string[]): Promise<Answer>;
  /** The revision that a farmer is offered; null where there is none. */
  seenBy(farmer: TestOrganization, moduleId: string): Promise<number | null>;
}

/** Starts a service with a vendor and two farmers. */
export async function startReleaseMarket(
  settings: Readonly<Record<string, string>> = {},
): Promise<ReleaseMarket> {
  const app = await startTestApp({ settings });
  const vendor = await app.organization();
  const newFarmer = () => app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const packages = new Map<unknown, Buffer>();
  const next = async (moduleId: string | null, descriptor: Members = {}, query = '', files = {}) => {
    const members = { component: randomUUID(), ...descriptor, moduleId };
    const zip = samplePackage(app.api.catalogue, { descriptor: members, files });
    const answer = await app.importPackage(vendor, zip, { query });
    if (answer.status !== 200) throw new Error(answer.text);
    const named = { ...members, moduleId: answer.body.moduleId as string };
    packages.set(answer.body.importId, samplePackage(app.api.catalogue, { descriptor: named, files }));
    return answer;
  };
  const own = app.as(vendor);
  return {
    ...{ app, vendor, newFarmer },
    farmer: await newFarmer(),
    other: await newFarmer(),
    next: (moduleId, descriptor) => next(moduleId, descriptor),
    stage: (moduleId, descriptor, alertRules) =>
      next(moduleId, descriptor, '?release=staged', {
        ...(alertRules !== undefined && { 'AlertRuleDefinitionFile/alert-rules.yaml': alertRules }),
      }),
    rename: (moduleId, descriptor, query = '') => next(moduleId, descriptor, `?renameScope=true${query}`),
    importNext: async (descriptor) => String((await next(null, descriptor)).body.moduleId),
    repeat: (answer) => app.importPackage(vendor, packages.get(answer.body.importId) ?? Buffer.alloc(0)),
    release: (moduleId, revision, ring) =>
      own.post(`/modules/${moduleId}/revisions/${revision}/release`, ring),
    preview: (moduleId, revision, organizationIds) =>
      own.put(`/modules/${moduleId}/revisions/${revision}/previewers`, { organizationIds }),
    async seenBy(farmer, moduleId) {
      const { status, body } = await app.as(farmer).get(`/availableModules/${moduleId}`);
      return status === 404 ? null : (body.revision as number);
    },
  };
}
