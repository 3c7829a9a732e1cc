import type { Response } from 'express';
import { Type } from 'typebox';
import {
  endMails,
  languageOfLink,
  type MessageLanguage,
} from '../../shared/db/notifications/notification-settings.ts';
import { anyone } from '../auth/endpoint-access.ts';
import { PAGE_ANSWERS, PAGE_HEADERS, sendPage } from '../documents/page-answers.ts';
import { PROBLEMS_STYLE_PATH } from '../documents/problem-pages.ts';
import { htmlPage } from '../http/answer/html.ts';
import { endpoint } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';

const path = '/notifications/{linkSecret}/unsubscribe';

const parameters = {
  linkSecret: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'The secret of the link, which is in each mail.',
    example: 'kM3xT0-example-of-a-link-secret-43-chars-Zq',
  }),
};

const HEADERS = {
  'Content-Security-Policy': PAGE_HEADERS['Content-Security-Policy'].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
  'Cache-Control': 'no-store',
};

const TEXTS: Readonly<Record<MessageLanguage, Readonly<Record<'title' | 'ask' | 'end' | 'ended', string>>>> =
  {
    en: {
      title: 'Mails about alerts',
      ask: 'You will get no more mails about the alerts of this farm. The portal still shows them.',
      end: 'End the mails',
      ended: 'You get no more mails about the alerts of this farm. You can turn them on again in the portal.',
    },
    de: {
      title: 'E-Mails zu Warnungen',
      ask: 'Sie erhalten keine E-Mails mehr zu den Warnungen dieses Betriebs. Das Portal zeigt sie weiterhin.',
      end: 'E-Mails abbestellen',
      ended:
        'Sie erhalten keine E-Mails mehr zu den Warnungen dieses Betriebs. Im Portal können Sie sie wieder einschalten.',
    },
  };

const GONE = 'The link is not valid, or is older than 90 days. Change your notifications in the portal.';

const readPage = endpoint('get', path, {
  id: 'readUnsubscribePage',
  summary: 'Show the page that ends your mails',
  description:
    'A page with a button. To open it changes nothing: programs that check mails for viruses open links.',
  access: anyone,
  parameters,
  answers: PAGE_ANSWERS,
  problems: ['not-found', 'request-invalid'],
  async handle({ api, response, path: { linkSecret } }) {
    const language = found(await languageOfLink(api.database, linkSecret), GONE);
    const { ask, end } = TEXTS[language];
    return sendLinkPage(
      response,
      language,
      `<p>${ask}</p>\n<form method="post"><button>${end}</button></form>`,
    );
  },
});

const unsubscribe = endpoint('post', path, {
  id: 'unsubscribePerson',
  summary: 'End your mails',
  description: 'The link in each mail is the credential: mail programs call it at one click (RFC 8058).',
  access: anyone,
  parameters,
  answers: PAGE_ANSWERS,
  problems: ['not-found', 'request-invalid'],
  async handle({ api, response, path: { linkSecret } }) {
    const language = found(await endMails(api.database, linkSecret), GONE);
    return sendLinkPage(response, language, `<p>${TEXTS[language].ended}</p>`);
  },
});

/** The pages that the links of mails lead to. */
export const UNSUBSCRIBE_ENDPOINTS = [readPage, unsubscribe];

function sendLinkPage(response: Response, language: MessageLanguage, body: string) {
  const { title } = TEXTS[language];
  const page = htmlPage(title, PROBLEMS_STYLE_PATH, `<h1>${title}</h1>\n${body}`, language);
  return sendPage(response, page, HEADERS);
}
