import { createSession, type NewSession } from '../../shared/db/access/sessions/sessions.ts';
import type { TestApp } from './test-app.ts';

/** A session with this Authorization header, without a refresh token. */
export function newSession(authorization: string, members: Partial<NewSession> = {}): NewSession {
  return {
    subject: 'tester',
    name: 'Tester',
    accessToken: authorization.replace('Bearer ', ''),
    refreshToken: null,
    idToken: null,
    lifetimeMs: 60_000,
    browser: null,
    operatingSystem: null,
    issuerSessionId: null,
    issuerSubject: null,
    issuedAt: null,
    ...members,
  };
}

/** The session cookie of a user with this Authorization header. */
export async function sessionCookie(
  app: TestApp,
  authorization: string,
  members: Partial<NewSession> = {},
): Promise<string> {
  const { database, encryptionKeys, config } = app.api;
  if (config.portal === null) throw new Error('the app has no portal');
  const session = newSession(authorization, members);
  return `module_session=${await createSession(database, encryptionKeys, session, config.portal.sessions)}`;
}
