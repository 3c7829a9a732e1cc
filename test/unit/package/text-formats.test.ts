import { expect, test } from 'vitest';
import { isCountryCode } from '../../../shared/package/text/country-codes.ts';
import { exactNumberIssue } from '../../../shared/package/text/exact-number.ts';
import { mediaTypeOf } from '../../../shared/package/layout/media-types.ts';
import { isLanguageTag, languageTagCase } from '../../../shared/package/text/language-tags.ts';
import { isEmail, isWebUrl } from '../../../shared/package/text/text-formats.ts';

test('an exact number has at most 15 significant digits and is in the range of doubles', () => {
  for (const good of [
    '0',
    '-0.0',
    '0e5',
    '1',
    '-1.5',
    '+1.5',
    '123456789012345',
    '0.000123456789012345',
    '123456789012345000',
    '1.50000000000000000000',
    '1e308',
    '2.2250738585073e-308',
    '1E5',
    '.5',
    '5.',
  ]) {
    expect([good, exactNumberIssue(good)]).toEqual([good, null]);
  }
  for (const long of ['1234567890123456', '0.1234567890123456', '1.000000000000001'])
    expect([long, exactNumberIssue(long)]).toEqual([long, 'have at most 15 significant digits']);
  for (const outside of ['1e309', '-1e309', '2.2e-308', '5e-324', '1e-400']) {
    expect([outside, exactNumberIssue(outside)]).toEqual([
      outside,
      'be 0, or from 2.3e-308 to 1.7e308 in size',
    ]);
  }
});

test('numbers are validated in time linear in their length', () => {
  // A time quadratic in a million digits would exceed the test's timeout.
  expect(exactNumberIssue(`1${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`)).not.toBeNull();
});

test('country codes are the 249 of ISO 3166-1: two letters or three, in any letter case, or three digits', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const two = letters.flatMap((a) => letters.map((b) => a + b));
  const three = two.flatMap((ab) => letters.map((c) => ab + c));
  expect(two.filter(isCountryCode)).toHaveLength(249);
  expect(three.filter(isCountryCode)).toHaveLength(249);
  const numbers = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));
  expect(numbers.filter(isCountryCode)).toHaveLength(249);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const code of two.filter(isCountryCode)) expect(names.of(code)).toBeTypeOf('string');
  for (const code of ['DE', 'deu', 'Gbr', 'US', 'ZAF', '276', '004'])
    expect([code, isCountryCode(code)]).toEqual([code, true]);
  for (const code of ['', 'D', 'DEUT', 'XX', 'UK', 'EU', 'XKX', '999', '76', '0276', 'D E', 'DE ', '\nDE'])
    expect([code, isCountryCode(code)]).toEqual([code, false]);
});

test('language tags are well-formed BCP 47 of a registered language, normalized to the letter case of RFC 5646', () => {
  for (const good of [
    'en',
    'pt-BR',
    'zh-Hant-TW',
    'de-CH-1996',
    'es-419',
    'en-u-ca-gregory',
    'EN-us',
    'sl-rozaj',
    'gsw',
    'yue-Hant',
    'qaa',
  ]) {
    expect([good, isLanguageTag(good)]).toEqual([good, true]);
  }
  for (const bad of [
    '',
    'e',
    'en_US',
    'en-',
    '-en',
    'englishlanguage',
    'German',
    // A registered language of three letters, continued.
    'gswiss',
    'xx',
    'xzz',
    'en US',
    'en-u',
    'x-private',
    '1',
    `en-x-${'a-'.repeat(60)}a`,
  ]) {
    expect([bad, isLanguageTag(bad)]).toEqual([bad, false]);
  }
  expect(isLanguageTag(`en-x-${'a-'.repeat(47)}a`)).toBe(true);
  expect(isLanguageTag(`en-x-${'a-'.repeat(47)}aa`)).toBe(false);
  expect(
    ['EN', 'PT-br', 'ZH-hANT-tw', 'SL-Rozaj-1996', 'en-A-BB-Cccc-u-DD', 'DE-1901-de'].map(languageTagCase),
  ).toEqual(['en', 'pt-BR', 'zh-Hant-TW', 'sl-rozaj-1996', 'en-a-bb-cccc-u-dd', 'de-1901-DE']);
});

test('a web address has the same result however often it is validated', () => {
  const answers = Array.from({ length: 20_000 }, () => isWebUrl('https://müller.example/ü'));
  expect(answers).not.toContain(false);
});

test('web addresses are absolute http or https URLs', () => {
  for (const good of [
    'http://a.example',
    'HTTPS://a.example:8443/b?c#d',
    'https://müller.example/ü',
    'http://127.0.0.1/',
  ]) {
    expect([good, isWebUrl(good)]).toEqual([good, true]);
  }
  for (const bad of [
    '',
    'a.example',
    '//a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    'http://',
    'http:a.example',
    ' http://a.example',
    'http://a.example/b c',
    'http://a\\b',
    'http://a\u0001b',
    'http://a\u007fb',
    'https://a:99999',
    'xhttp://a.example',
  ]) {
    expect([bad, isWebUrl(bad)]).toEqual([bad, false]);
  }
});

test('e-mail addresses have a local part and a domain of at least two labels', () => {
  const long = (local: number, label: number) => `${'l'.repeat(local)}@${'d'.repeat(label)}.example`;
  const domain = (length: number) => `${'d'.repeat(60)}.`.repeat(3) + 'e'.repeat(length);
  const good = [
    'a@b.example',
    'first.last+tag@sub.b.example',
    'ä@müller.example',
    "o'neil@b-c.example",
    long(64, 63),
    `${'l'.repeat(50)}@${domain(20)}`,
    `${'l'.repeat(50)}@${domain(20)}`,
  ];
  for (const each of good) expect([each, isEmail(each)]).toEqual([each, true]);
  const bad = [
    '',
    '@',
    'a',
    'a@',
    '@b.example',
    'a@b',
    'a@b..example',
    'a@.example',
    'a@b.example.',
    'a b@c.example',
    'a@b c.example',
    'a@@b.example',
    'a@b@c.example',
    '.a@b.example',
    'a.@b.example',
    'a..b@c.example',
    'A <a@b.example>',
    'a@-b.example',
    'a@b-.example',
    'a@b_c.example',
    'a\u0001@b.example',
    '"a"@b.example',
    'a,b@c.example',
    long(65, 63),
    long(64, 64),
  ];
  for (const each of bad) expect([each, isEmail(each)]).toEqual([each, false]);
  const exact = `${'l'.repeat(10)}@${`${'d'.repeat(60)}.`.repeat(3)}${'e'.repeat(60)}`;
  expect(exact).toHaveLength(254);
  expect(isEmail(exact)).toBe(true);
  expect(isEmail(`l${exact}`)).toBe(false);
});

test('media types depend on the extension', () => {
  const names =
    'avif css csv docx gif htm html ico jpeg jpg js json map md mjs pdf png rtf svg txt wasm webp woff woff2 xml yaml zip';
  expect(names.split(' ').map((each) => `${each} ${mediaTypeOf(`a/b.c.${each}`)}`)).toMatchInlineSnapshot(`
    [
      "avif image/avif",
      "css text/css",
      "csv text/csv",
      "docx application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "gif image/gif",
      "htm text/html",
      "html text/html",
      "ico image/x-icon",
      "jpeg image/jpeg",
      "jpg image/jpeg",
      "js text/javascript",
      "json application/json",
      "map application/json",
      "md text/markdown",
      "mjs text/javascript",
      "pdf application/pdf",
      "png image/png",
      "rtf application/rtf",
      "svg image/svg+xml",
      "txt text/plain",
      "wasm application/wasm",
      "webp image/webp",
      "woff font/woff",
      "woff2 font/woff2",
      "xml application/xml",
      "yaml application/yaml",
      "zip application/zip",
    ]
  `);
  expect([mediaTypeOf('a.PDF'), mediaTypeOf('a.bin'), mediaTypeOf('LICENSE')]).toEqual([
    'application/pdf',
    'application/octet-stream',
    'application/octet-stream',
  ]);
});
