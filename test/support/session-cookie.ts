import { createSession } from '../../shared/db/access/sessions.ts';
import type { TestApp } from './test-app.ts';

/** The session cookie of a user with this Authorization header. */
export async function sessionCookie(
  app: TestApp,
  authorization: string,
  expiresAt = new Date(Date.now() + 60_000),
): Promise<string> {
  const accessToken = authorization.replace('Bearer ', '');
  const session = { subject: 'tester', name: 'Tester', accessToken, expiresAt };
  return `module_session=${await createSession(app.api.database, session)}`;
}
