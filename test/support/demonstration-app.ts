import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { inject } from 'vitest';
import { seedDemonstration } from '../../shared/local/demonstration.ts';
import { startIssuer } from '../../shared/local/issuer.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** A service with the organizations of `npm start` and its issuer, at which `modulectl` signs in. */
export async function startDemonstrationApp(): Promise<TestApp> {
  const folder = path.join(inject('scratch'), `issuer-${randomUUID()}`);
  const issuer = await startIssuer(folder, 'module-import-service', { pollSeconds: 0.05 });
  const app = await startTestApp({
    settings: { AUTH_ISSUER: issuer.identity.url, CLI_CLIENT_ID: 'modulectl' },
  });
  await seedDemonstration(app.api.database);
  return {
    ...app,
    async stop() {
      await app.stop();
      await issuer.stop();
    },
  };
}
