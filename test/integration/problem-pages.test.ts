import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { REQUEST_PROBLEMS } from '../../api/http/request-problem-codes.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

const html = { headers: { Accept: 'text/html' } };

test.each([...Object.keys(PACKAGE_PROBLEMS), ...Object.keys(REQUEST_PROBLEMS)])(
  '%s has a page with its meaning and remedy',
  async (code) => {
    const answer = await app.fetch(`/problems/${code}`, html);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.text).toContain('What to do');
  },
);

test('the index links to every page', async () => {
  const { text } = await app.fetch('/problems', html);
  for (const code of Object.keys(PACKAGE_PROBLEMS)) expect(text).toContain(`/problems/${code}"`);
});

test('a code that does not exist is 404', async () => {
  expect((await app.fetch('/problems/no-such-code', html)).status).toBe(404);
});

test('a program gets JSON', async () => {
  const { body } = await app.fetch('/problems/not-found', { headers: { Accept: 'application/json' } });
  expect(body).toMatchObject({ code: 'not-found', kind: 'HTTP 404' });
});

test('the list of codes is read in pages, and its cursor is refused by another list', async () => {
  const json = { headers: { Accept: 'application/json' } };
  const codes: string[] = [];
  let cursor = '';
  do {
    const { body } = await app.fetch(`/problems?limit=40${cursor}`, json);
    const { items, nextCursor } = body as { items: { code: string }[]; nextCursor: string | null };
    expect(items.length).toBeLessThanOrEqual(40);
    codes.push(...items.map(({ code }) => code));
    cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  expect(codes).toEqual([...new Set(codes)]);
  expect(codes).toEqual(expect.arrayContaining(Object.keys(PACKAGE_PROBLEMS)));

  const { nextCursor } = (await app.fetch('/problems?limit=1', json)).body;
  expect((await app.fetch(`/schemas?cursor=${String(nextCursor)}`, json)).body).toMatchObject({
    status: 400,
    code: 'request-invalid',
  });
});

test('the pages run no script', async () => {
  const { headers, text } = await app.fetch('/problems/not-found', html);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).not.toContain('<script');
});
