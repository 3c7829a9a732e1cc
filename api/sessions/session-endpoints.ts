import { endSessionOf, endSessionsOf, listSessions } from '../../shared/db/access/sessions/session-list.ts';
import { anyToken } from '../auth/endpoint-access.ts';
import { answerOf } from '../http/answer.ts';
import { deleteEndpoint, tagged, wholeListEndpoint } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { dateTime, guid, inputGuid, namedObject, orNull, text } from '../http/schema.ts';

const path = '/api/v8.0/sessions';

const session = namedObject('Session', 'A browser in which you are signed in to the portal.', {
  id: guid('The ID of the session.'),
  browser: orNull(text('The browser, such as `Firefox`; null if it is not known.')),
  operatingSystem: orNull(text('Its operating system, such as `Windows`; null if it is not known.')),
  signedInAt: dateTime('When you signed in.'),
  lastUsedAt: dateTime('When the session was last used, to within a few minutes.'),
  expiresAt: dateTime('When it ends if it is no longer used.'),
});

const list = wholeListEndpoint(path, {
  id: 'listSessions',
  summary: 'List your sessions',
  description: 'The last used first; at most 100.',
  access: anyToken,
  page: page(session, 'sessions'),
  list: async ({ api, caller: { subject } }) =>
    (await listSessions(api.database, subject)).map((row) => answerOf(row, { signedInAt: row.createdAt })),
});

const endAll = deleteEndpoint(path, {
  id: 'deleteSessions',
  summary: 'End your sessions',
  description: 'Signs you out of the portal in all browsers, or in all but one.',
  access: anyToken,
  query: { except: inputGuid('The ID of the session that does not end.') },
  async handle({ api, caller: { subject }, query: { except } }) {
    const ended = await endSessionsOf(api.database, subject, except ?? null);
    api.log.info({ subject, ended }, 'sessions ended by their owner');
  },
});

const endOne = deleteEndpoint(`${path}/{sessionId}`, {
  id: 'deleteSession',
  summary: 'End one of your sessions',
  description: 'Signs you out of the portal in that browser.',
  access: anyToken,
  problems: ['not-found', 'request-invalid'],
  async handle({ api, caller: { subject }, path: { sessionId } }) {
    const isEnded = await endSessionOf(api.database, subject, sessionId);
    found(isEnded, 'You have no such session. It may have ended.');
    api.log.info({ subject, sessionId }, 'session ended by its owner');
  },
});

/** The sessions of the person who calls. */
export const SESSION_ENDPOINTS = tagged('Sessions', [list, endAll, endOne]);
