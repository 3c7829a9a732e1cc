import type { Request, Response } from 'express';
import { SENT, type Answer, type Answers } from '../http/answer.ts';
import { text } from '../http/schema.ts';

const html = { schema: text('The page as HTML.') };

/** The answers of an endpoint that is a page. */
export const PAGE_ANSWERS = {
  200: { description: 'The page.', forms: { 'text/html': html }, headers: ['Cache-Control'] },
} satisfies Answers;

/** The answer, which browsers get as a page. */
export function withHtml<Body>(answer: Answer<Body>, headers: readonly string[]): Answer<Body> {
  return { ...answer, headers, forms: { ...answer.forms, 'text/html': html } };
}

/** Headers of a page without scripts that loads nothing but its stylesheet. */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=300',
};

/** Whether a client prefers a page to JSON, as browsers do; one that accepts anything does not. */
export function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** Sends a page. */
export function sendPage(response: Response, page: string, headers: object = PAGE_HEADERS): typeof SENT {
  response.set(headers).type('html').send(page);
  return SENT;
}

/** Sends a page to browsers, and the same as JSON to all others. */
export function sendPageOrJson(
  { request, response }: { readonly request: Request; readonly response: Response },
  page: () => string,
  body: () => object,
) {
  response.vary('Accept');
  if (prefersHtml(request)) return sendPage(response, page());
  response.set('Cache-Control', PAGE_HEADERS['Cache-Control']).json(body());
  return SENT;
}
