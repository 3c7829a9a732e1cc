import { randomUUID } from 'node:crypto';
import { CI_AUDIENCE, CI_CLAIMS } from './ci-issuer.ts';
import { importSample } from './import-sample.ts';
import type { Answer, TestApp, TestOrganization } from './test-app.ts';

/** The settings of an app that accepts issuers on loopback, as the local stack does. */
export const LOOPBACK_ISSUERS = { OUTBOUND_ALLOW_LOOPBACK: '1' };

/** Imports a module, and trusts the issuer's repository for it; returns the module's ID. */
export async function publishingModule(
  app: TestApp,
  vendor: TestOrganization,
  issuer: string,
  claims: Readonly<Record<string, string | number | boolean>> = CI_CLAIMS,
): Promise<string> {
  const moduleId = await importSample(app, vendor, { descriptor: { moduleId: randomUUID() } });
  const items = [{ issuer, audience: CI_AUDIENCE, claims }];
  const answer = await app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items });
  if (answer.status !== 200) throw new Error(answer.text);
  return moduleId;
}

/** Exchanges a token. */
export async function exchange(app: TestApp, moduleId: string, token: string): Promise<Answer> {
  return app.fetch('/api/v8.0/trusted-publishing/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, moduleId }),
  });
}

/** The refused exchanges of a vendor's audit log, newest first. */
export async function refusals(
  app: TestApp,
  vendor: TestOrganization,
  moduleId: string,
): Promise<readonly { readonly actor: string; readonly details: Readonly<Record<string, string>> }[]> {
  const items = await app
    .as(vendor)
    .pages<{ action: string; moduleId: string; actor: string; details: Readonly<Record<string, string>> }>(
      '/auditLog',
    );
  return items.filter((each) => each.action === 'trustedPublishing.refused' && each.moduleId === moduleId);
}
