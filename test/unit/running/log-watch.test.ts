import { expect, test } from 'vitest';
import { makeApiKey } from '../../../shared/db/access/api-key.ts';
import { LogWatch } from '../../support/log-watch.ts';

test.each([
  ['a token', '{"detail":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"}'],
  ['a header with a token', '{"headers":"authorization: Bearer abcdefgh"}'],
  ['an API key', JSON.stringify({ key: makeApiKey().secret })],
  ['a cookie', '{"cookie":"__Host-module_session=abcdefghijklmnopqrstuv"}'],
  ['the code of a sign-in', '{"url":"/portal/sign-in?code=abc"}'],
  ['an address with a password', '{"url":"postgres://service:secret@127.0.0.1/db"}'],
])('a log is refused that holds %s', (_, line) => {
  const watch = new LogWatch();
  watch.write(line);
  expect(() => {
    watch.check();
  }).toThrow('1 log lines hold a secret');
});

test('a log is good that holds addresses, IDs and the start of an API key', () => {
  const watch = new LogWatch();
  watch.write('{"url":"/api/v8.0/1b4e/imports?limit=2&moduleId=77","key":"mmk_1a2b3c4d","msg":"request"}');
  watch.write('{"endpoint":"http://127.0.0.1:9000","version":"token of an issuer"}');
  expect(() => {
    watch.check();
  }).not.toThrow();
});
