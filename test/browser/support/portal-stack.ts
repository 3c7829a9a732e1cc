import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { inject } from 'vitest';
import { ACCOUNTS, DEMONSTRATION, seedDemonstration } from '../../../shared/local/demonstration.ts';
import { startIssuer } from '../../../shared/local/issuer.ts';
import { signToken } from '../../../shared/local/issuer-tokens.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app.ts';

const AUDIENCE = 'module-import-service';

/** A service with its portal, and the development issuer with its demonstration accounts. */
export interface PortalStack {
  readonly app: TestApp;
  /** Authorization header of a demonstration account. */
  bearer(accountKey: string): Promise<string>;
  stop(): Promise<void>;
}

export const VENDOR_ID = DEMONSTRATION.vendor.id;
export const FARM_ID = DEMONSTRATION.northFarm.id;

type PortalStackOptions = Pick<TestAppOptions, 'worker' | 'settings'>;

/** Starts them on their own database, with the demonstration organizations. */
export async function startPortalStack({
  settings,
  ...options
}: PortalStackOptions = {}): Promise<PortalStack> {
  const issuer = await startIssuer(path.join(inject('scratch'), `issuer-${randomUUID()}`), AUDIENCE);
  const app = await startTestApp({
    ...options,
    settings: {
      AUTH_ISSUER: issuer.identity.url,
      PORTAL_CLIENT_ID: 'module-portal',
      CLI_CLIENT_ID: 'modulectl',
      ...settings,
    },
  });
  await seedDemonstration(app.api.database);
  return {
    app,
    async bearer(accountKey) {
      const account = ACCOUNTS.find(({ key }) => key === accountKey);
      if (account === undefined) throw new Error(`there is no account ${accountKey}`);
      const { key: subject, name, organizations, isOperator } = account;
      const claims = { audience: AUDIENCE, subject, name, organizations, isOperator };
      return `Bearer ${await signToken(issuer.identity, claims)}`;
    },
    async stop() {
      await app.stop();
      await issuer.stop();
    },
  };
}
