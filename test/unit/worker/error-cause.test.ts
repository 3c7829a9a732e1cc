import { expect, test } from 'vitest';
import { errorCause } from '../../../worker/import/error-cause.ts';

test('an error is reported with its name, its code and its causes, the outermost first', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:9000'), { code: 'ECONNREFUSED' });
  const all = new AggregateError([refused, refused], '');
  const cause = errorCause(new TypeError('fetch failed', { cause: all }));
  expect(cause).toBe(
    'TypeError: fetch failed ← AggregateError ← Error ECONNREFUSED: connect ECONNREFUSED 10.0.0.7:9000',
  );
});

test.each([
  ['postgres://worker:s3cr3t@db:5432/modules refused', 's3cr3t'],
  ['redis://:s3cr3t@queue:6379', 's3cr3t'],
  ['GET https://s3.test/packages/a?X-Amz-Credential=AKIA&X-Amz-Signature=s3cr3t failed', 's3cr3t'],
  ['AUTH failed, password: s3cr3t', 's3cr3t'],
  ['{"secretAccessKey":"s3cr3t"}', 's3cr3t'],
  ['secret_access_key=s3cr3t, region=x', 's3cr3t'],
  ['Authorization: Bearer s3cr3ts3cr3t', 's3cr3t'],
  ['sent with bearer s3cr3ts3cr3t', 's3cr3t'],
  ['token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl expired', 'eyJzdWIi'],
  [`the key mmk_${'a'.repeat(49)} is unknown`, 'aaaa'],
])('a secret is left out: %s', (message, secret) => {
  const cause = errorCause(new Error('outer', { cause: new Error(message) }));
  expect(cause).toContain('[secret]');
  expect(cause).not.toContain(secret);
});

test('what a column cannot store is replaced, and a long text is cut', () => {
  expect(errorCause(new Error('a\0b\uD800c'))).toBe('Error: a\uFFFDb\uFFFDc');
  expect(errorCause(new Error('x'.repeat(100_000))).length).toBe(2_000);
});

test('the end of a long text is kept: an error of the database quotes its statement first', () => {
  const cause = errorCause(new Error(`update imports ${'x'.repeat(10_000)} - canceling statement`));
  expect(cause).toMatch(/^Error: update imports x+ … x+ - canceling statement$/);
  expect(cause.length).toBe(2_000);
});

test('names that a vendor has chosen to look like those of secrets do not keep the worker busy', () => {
  // In quadratic time, it would take longer than any test may.
  expect(errorCause(new Error('token-'.repeat(300_000)))).toContain(' … ');
});

test('a cause that leads back to its error ends the text', () => {
  const error = new Error('circle');
  error.cause = error;
  expect(errorCause(error)).toBe('Error: circle');
});
