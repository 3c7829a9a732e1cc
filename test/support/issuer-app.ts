import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { inject } from 'vitest';
import { drain, serve } from '../../api/http/server/serve.ts';
import { openApiContext } from '../../api/open-context.ts';
import { loadConfig } from '../../shared/config/config.ts';
import { startIssuer } from '../../shared/local/issuer.ts';
import { signRefreshToken, signToken } from '../../shared/local/issuer-tokens.ts';
import { createLog } from '../../shared/telemetry/log.ts';
import { newSession } from './session-cookie.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { createSession } from '../../shared/db/access/sessions/sessions.ts';

const AUDIENCE = 'module-import-service';
const CLIENT_ID = 'module-portal';

/** A service whose portal signs people in at the development issuer. */
export interface IssuerApp {
  readonly app: TestApp;
  /** Restarts the issuer at the same address. */
  startIssuer(): Promise<void>;
  stopIssuer(): Promise<void>;
  /** The cookie of a session of the demonstration operator; its access token is valid for this time. */
  session(options?: { readonly lifetimeSeconds?: number; readonly signInId?: string }): Promise<string>;
  /** Another API process on the same database; returns its address. */
  startAnother(): Promise<{ readonly url: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

export async function startIssuerApp(settings: Readonly<Record<string, string>> = {}): Promise<IssuerApp> {
  const directory = path.join(inject('scratch'), `issuer-${randomUUID()}`);
  const start = () => startIssuer(directory, AUDIENCE, { pollSeconds: 0.05 });
  let issuer = await start();
  const { identity } = issuer;
  const app = await startTestApp({
    worker: false,
    settings: { AUTH_ISSUER: identity.url, PORTAL_CLIENT_ID: CLIENT_ID, ...settings },
  });
  const stopIssuer = async () => issuer.stop();
  return {
    app,
    stopIssuer,
    async startIssuer() {
      issuer = await start();
    },
    async session({ lifetimeSeconds = 300, signInId = randomUUID() } = {}) {
      const { database, encryptionKeys, config } = app.api;
      const subject = 'operator';
      const claims = { audience: AUDIENCE, subject, organizations: [], isOperator: true, lifetimeSeconds };
      const session = newSession(await signToken(identity, claims), {
        subject,
        refreshToken: await signRefreshToken(identity, { account: subject, clientId: CLIENT_ID, signInId }),
        lifetimeMs: 0,
        issuerSessionId: signInId,
      });
      const limits = config.portal?.sessions ?? { idleMinutes: 1, maxHours: 1 };
      return `module_session=${await createSession(database, encryptionKeys, session, limits)}`;
    },
    async startAnother() {
      const api = await openApiContext(loadConfig(app.environment), createLog('api', 'silent'));
      const serving = await serve(api);
      return {
        url: `http://127.0.0.1:${serving.port}`,
        async stop() {
          await drain(serving, api, { delayMs: 0, finishMs: 1_000 });
          await api.close();
        },
      };
    },
    async stop() {
      await app.stop();
      await stopIssuer();
    },
  };
}
