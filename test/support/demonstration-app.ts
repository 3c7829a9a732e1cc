import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { inject } from 'vitest';
import { ACCOUNTS, seedDemonstration } from '../../shared/local/demonstration.ts';
import { signToken } from '../../shared/local/issuer-tokens.ts';
import { startIssuer } from '../../shared/local/issuer.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const AUDIENCE = 'module-import-service';

/** A service with the demonstration's organizations, and accounts that have tokens. */
export interface DemonstrationApp extends TestApp {
  /** An access token of a demonstration account. */
  tokenOf(accountKey: string): Promise<string>;
}

/** A service with the organizations of `npm start` and its issuer, at which `modulectl` signs in. */
export async function startDemonstrationApp(
  settings: Readonly<Record<string, string>> = {},
): Promise<DemonstrationApp> {
  const folder = path.join(inject('scratch'), `issuer-${randomUUID()}`);
  const issuer = await startIssuer(folder, AUDIENCE, { pollSeconds: 0.05 });
  const app = await startTestApp({
    settings: { AUTH_ISSUER: issuer.identity.url, CLI_CLIENT_ID: 'modulectl', ...settings },
  });
  await seedDemonstration(app.api.database);
  return {
    ...app,
    async tokenOf(accountKey) {
      const account = ACCOUNTS.find(({ key }) => key === accountKey);
      if (account === undefined) throw new Error(`there is no account ${accountKey}`);
      return signToken(issuer.identity, { ...account, audience: AUDIENCE, subject: account.key });
    },
    async stop() {
      await app.stop();
      await issuer.stop();
    },
  };
}
