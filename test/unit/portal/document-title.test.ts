import { expect, test } from 'vitest';
import { documentTitle } from '../../../api/portal/pages/farmer/document-title.ts';

test.each([
  ['# Terms of use\n\nText', 'Terms of use'],
  ['Preamble of the vendor.\nMore of it.\n\n## **Terms** of `use` ##\n', 'Terms of use'],
  ['Terms of use\n============\n\nText', 'Terms of use'],
  ['\n\nTerms of use\n\nText', 'Terms of use'],
  ['Terms of use', 'Terms of use'],
  ['This is how it begins,\nand goes on.', null],
  [`# ${'long '.repeat(40)}`, null],
  ['#\n', null],
  ['', null],
])('the title of %j is %j', (text, title) => {
  expect(documentTitle(text)).toBe(title);
});
