import { importSample } from './import-sample.ts';
import type { Answer, TestApp, TestOrganization } from './test-app.ts';

/** What a farmer reports in tests. */
export const REPORT = { reason: 'security', text: 'It sends what we type to another server.' };
/** A decision of operators in tests. */
export const UPHELD = { decision: 'upheld', reason: 'The application calls another server.' };

/** A vendor's module, and the calls of its review. */
export interface ReviewedModule {
  readonly vendor: TestOrganization;
  readonly farmer: TestOrganization;
  readonly moduleId: string;
  report(who?: TestOrganization): Promise<Answer>;
  decide(reviewId: string, decision?: object): Promise<Answer>;
  answer(reviewId: string, who?: TestOrganization): Promise<Answer>;
}

/** A module that a farmer of its tenant can report. */
export async function makeReviewedModule(app: TestApp): Promise<ReviewedModule> {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  return {
    ...{ vendor, farmer, moduleId },
    report: (who = farmer) => app.as(who).post(`/availableModules/${moduleId}/reports`, REPORT),
    decide: (reviewId, decision = UPHELD) =>
      app.as('operator').post(`/operations/reviews/${reviewId}/decide`, decision),
    answer: (reviewId, who = vendor) =>
      app
        .as(who)
        .post(`/modules/${moduleId}/reviews/${reviewId}/answer`, { text: 'It is removed in revision 2.' }),
  };
}
