import { describe, expect, test } from 'vitest';
import {
  besidesMissingParts,
  checkEntries,
  examplePackage,
  TINY_PNG,
  TINY_SVG,
} from '../../support/package-builder.ts';

const PDF = '%PDF-1.7\n';

/** The warnings of the example package with this terms file beside its own. */
async function warningsOf(name: string, content: string | Buffer) {
  const entry = `ModuleToS/${name}`;
  const { problems } = await checkEntries(examplePackage({ [entry]: content }));
  return besidesMissingParts(problems).flatMap(({ code, detail, severity, ...at }) => {
    if (at.entry !== entry || code === 'layout-file-unreferenced') return [];
    expect(severity).toBe('warning');
    return [`${code} ${detail}`];
  });
}

describe('a file is what its name says', () => {
  test.each([
    ['terms.pdf', PDF],
    ['other.PDF', `\n${PDF}`],
    ['terms.png', TINY_PNG],
    ['terms.html', '<!DOCTYPE html><p>Terms'],
    ['terms.html', '<p>Terms'],
    ['terms.md', '# Terms'],
    ['terms.docx', 'PK\u0003\u0004'],
    ['terms.docx', 'PK\u0003\u0004\u0014 [Content_Types].xml'],
    ['terms.md', 'Terms of <html> and <!doctype html>'],
    ['terms.md', '<htmlx>'],
    ['terms.rtf', '{\\rtf1}'],
    ['terms.unknown', PDF],
    ['terms.txt', ''],
  ])('%s', async (name, content) => {
    expect(await warningsOf(name, content)).toEqual([]);
  });

  test.each([
    ['terms.pdf', '<!doctype html><p>Terms', 'named like a PDF, but its content is HTML.'],
    ['terms.pdf', 'Terms', 'named like a PDF, but its content is something else.'],
    ['terms.pdf', '', 'named like a PDF, but its content is something else.'],
    ['terms.jpg', TINY_PNG, 'named like image/jpeg, but its content is image/png.'],
    ['terms.docx', PDF, 'its content is a PDF.'],
    ['terms.txt', 'PK\u0003\u0004', 'its content is a ZIP.'],
    ['terms.md', ' <html><body>', 'named like text/markdown, but its content is HTML.'],
    ['terms.md', '\uFEFF<HTML lang="en">', 'named like text/markdown, but its content is HTML.'],
    ['terms.md', '<!DOCTYPE \n html>', 'named like text/markdown, but its content is HTML.'],
  ])('%s of another type is a warning', async (name, content, detail) => {
    expect(await warningsOf(name, content)).toEqual([expect.stringContaining(detail)]);
    expect((await warningsOf(name, content))[0]).toMatch(/^layout-file-content /);
  });

  test.each([
    ['ModuleImage/field.jpg', TINY_PNG, 'image/png'],
    ['ModuleImage/field.png', TINY_SVG, 'an SVG image'],
  ])('an image too: %s', async (entry, content, type) => {
    const { problems } = await checkEntries(examplePackage({ [entry]: content }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'layout-file-content',
        entry,
        detail: expect.stringContaining(`its content is ${type}.`) as unknown,
      }),
    );
  });
});

describe('active content in terms', () => {
  test.each([
    ['a script', 'terms.html', '<p>Terms<script>alert(1)</script>'],
    ['a script', 'terms.html', '<a href="javascript:alert(1)">x</a>'],
    ['an event handler', 'terms.htm', '<p class="a" onclick="alert(1)">'],
    ['another page', 'terms.html', '<IFRAME srcdoc="x">'],
    ['another page', 'terms.html', '<meta http-equiv=refresh content="0;url=/">'],
    ['a form', 'terms.html', '<form action=/>'],
    ['files of another site', 'terms.html', '<img alt="x" src="https://a.example/a.png">'],
    ['files of another site', 'terms.html', '<link rel=stylesheet href=//a.example/a.css>'],
    ['styles of another site', 'terms.html', '<p style="background: url(\'http://a.example/\')">'],
    ['a script', 'terms.pdf', `${PDF}<</S /JavaScript /JS (x)>>`],
    ['a script', 'terms.pdf', `${PDF}<</JSX 1 /JS(x)>>`],
    ['an action that starts a program', 'terms.pdf', `${PDF}<</S/Launch>>`],
  ])('%s in %s is a warning: %s', async (what, name, content) => {
    expect(await warningsOf(name, content)).toEqual([
      `layout-active-content "ModuleToS/${name}" contains ${what}. Applications may refuse to show it.`,
    ]);
  });

  test.each([
    ['terms.html', '<!doctype html><p>Terms of <a href="https://vendor.example">the vendor</a>, onward = on'],
    ['terms.html', '<img src="data:image/png;base64,AA"><p>description: javascript'],
    ['terms.md', '# Do not use <script> here'],
    ['terms.pdf', `${PDF}/OpenAction [3 0 R /Fit] /JSX /Launcher`],
  ])('plain content of %s is none: %s', async (name, content) => {
    expect(await warningsOf(name, content)).toEqual([]);
  });

  test.each([
    ['tags', '<a '.repeat(300_000)],
    ['handlers', `<a${' on'.repeat(300_000)}`],
    ['letters', `<a on${'n'.repeat(900_000)}`],
    ['spaces', `<a onx${' '.repeat(900_000)}`],
    ['addresses', `<b src=${' src='.repeat(200_000)}`],
  ])('a page of many %s is looked at to its end', async (_, content) => {
    expect(await warningsOf('terms.html', content)).toEqual([]);
  });
});
