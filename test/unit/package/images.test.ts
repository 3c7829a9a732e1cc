import { expect, test } from 'vitest';
import { HOSTILE_SVGS, svg } from '../../support/hostile-svgs.ts';
import { outerReferenceIn } from '../../../shared/package/images/css-references.ts';
import { validateImage } from '../../../shared/package/images/validate-image.ts';
import { rasterType } from '../../../shared/package/images/raster-image.ts';
import { formatProblems, TINY_PNG, TINY_SVG } from '../../support/package-builder.ts';

function bytes(...parts: readonly (string | readonly number[])[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

function changed(content: Buffer, offset: number, ...values: readonly number[]): Buffer {
  const copy = Buffer.from(content);
  for (const [index, value] of values.entries()) copy[offset + index] = value;
  return copy;
}

const FRAME = [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0];
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0x4a, 0x46], FRAME);
const GIF = bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x3b]);
const WEBP = bytes('RIFF', [12, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0]);
const AVIF = bytes([0, 0, 0, 24], 'ftypavif', [0, 0, 0, 0], 'mif1miaf', [0, 0, 0, 8], 'meta');

/** The problems of an image; its media type where there are none. */
function problemsOf(content: Buffer | string): string[] | string {
  const { mediaType, problems } = validateImage(Buffer.from(content), 'ModuleImage/a', 0);
  return mediaType ?? formatProblems(problems);
}

test('PNG, JPEG, GIF, WebP, AVIF and SVG are identified by their content, whatever the name', () =>
  expect([TINY_PNG, JPEG, GIF, WEBP, AVIF, TINY_SVG].map(problemsOf)).toEqual([
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'image/avif',
    'image/svg+xml',
  ]));

test('a file that is not an image is refused', () => {
  expect(problemsOf('%PDF-1.7')).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a | The content of "ModuleImage/a" is not PNG, JPEG, GIF, WebP, AVIF or SVG. Save the image in one of these formats.",
    ]
  `);
  expect(problemsOf('')).toEqual(problemsOf('%PDF-1.7'));
});

test('an icon (.ico) is refused with the formats in which to save it', () => {
  const icon = Buffer.from('00000100010010100000010020006804000016000000', 'hex');
  expect(problemsOf(icon)).toEqual(problemsOf('%PDF-1.7'));
});

test('a PNG has its signature, an IHDR chunk of 13 bytes, and a size', () => {
  expect(rasterType(TINY_PNG.subarray(0, 33))).toBe('image/png');
  const bad = [
    TINY_PNG.subarray(0, 32),
    changed(TINY_PNG, 1, 0x51),
    changed(TINY_PNG, 11, 14),
    changed(TINY_PNG, 12, 0x4a),
    changed(TINY_PNG, 16, 0, 0, 0, 0),
    changed(TINY_PNG, 20, 0, 0, 0, 0),
  ];
  expect(bad.map(rasterType)).toEqual(bad.map(() => null));
});

test('a JPEG has segments up to a frame with a size', () => {
  const start = [0xff, 0xd8];
  const good = [
    JPEG,
    bytes(start, FRAME),
    bytes(start, [0xff, 0xff], FRAME.slice(1)),
    ...[0xc1, 0xc2, 0xc3, 0xc5, 0xc7, 0xc9, 0xcb, 0xcd, 0xcf].map((marker) =>
      changed(bytes(start, FRAME), 3, marker),
    ),
    bytes(start, [0xff, 0xc4, 0, 2], FRAME),
    bytes(start, [0xff, 0xc8, 0, 2], FRAME),
    bytes(start, [0xff, 0xcc, 0, 2], FRAME),
    bytes(start, [0xff, 0xd0, 0, 2], FRAME),
    bytes(start, FRAME.slice(0, 9)),
  ];
  expect(good.map(rasterType)).toEqual(good.map(() => 'image/jpeg'));
  const bad = [
    bytes(start),
    bytes(start, [0xff]),
    bytes([0xff, 0xd9], FRAME),
    bytes(start, [0xfe], FRAME.slice(1)),
    changed(bytes(start, FRAME), 9, 0, 0),
    bytes(start, [0xff, 0xc4, 0, 2]),
    bytes(start, [0xff, 0xc4, 0, 1], FRAME),
    bytes(start, [0xff, 0xc4, 0, 0], FRAME),
    bytes(start, [0xff, 0xda, 0, 2], FRAME),
    bytes(start, [0xff, 0xbf, 0, 2], FRAME),
    bytes(start, [0xff, 0xe0, 0xff, 0xff], FRAME),
    bytes(start, FRAME.slice(0, 8)),
    ...[0xc4, 0xc8, 0xcc].map((marker) => changed(bytes(start, FRAME), 3, marker)),
  ];
  expect(bad.map(rasterType)).toEqual(bad.map(() => null));
});

test('a GIF has one of two signatures and a size', () => {
  expect(rasterType(changed(GIF, 4, 0x37))).toBe('image/gif');
  expect(rasterType(GIF.subarray(0, 13))).toBe('image/gif');
  const bad = [GIF.subarray(0, 12), changed(GIF, 4, 0x38), changed(GIF, 6, 0), changed(GIF, 8, 0)];
  expect(bad.map(rasterType)).toEqual(bad.map(() => null));
});

test('a WebP is a RIFF container that is not cut off, with a VP8 chunk first', () => {
  for (const chunk of ['VP8 ', 'VP8L', 'VP8X']) {
    expect(rasterType(bytes('RIFF', [12, 0, 0, 0], 'WEBP', chunk, [0, 0, 0, 0]))).toBe('image/webp');
  }
  const bad = [
    WEBP.subarray(0, 19),
    changed(WEBP.subarray(0, 19), 4, 11),
    changed(WEBP, 0, 0x53),
    changed(WEBP, 4, 13),
    changed(WEBP, 8, 0x53),
    changed(WEBP, 15, 0x53),
  ];
  expect(bad.map(rasterType)).toEqual(bad.map(() => null));
});

test('an AVIF names its brand in the first box, and another box follows', () => {
  const compatible = bytes([0, 0, 0, 20], 'ftypmif1', [0, 0, 0, 0], 'avis', [0, 0, 0, 8], 'meta');
  expect(rasterType(compatible)).toBe('image/avif');
  const next = [0, 0, 0, 8];
  expect(rasterType(bytes([0, 0, 0, 16], 'ftypavif', [0, 0, 0, 0], next, 'meta'))).toBe('image/avif');
  const bad = [
    AVIF.subarray(0, 15),
    changed(AVIF, 4, 0x67),
    changed(AVIF, 3, 15),
    changed(AVIF, 3, 22),
    changed(AVIF, 3, 28),
    changed(AVIF, 8, 0x62),
    bytes([0, 0, 0, 16], 'ftypmif1avif', [0, 0, 0, 8], 'meta'),
    bytes([0, 0, 0, 16], 'ftypmif1', [0, 0, 0, 0], next, 'avif'),
    bytes([0, 0, 0, 12], 'ftypavif', next, 'meta'),
  ];
  expect(bad.map(rasterType)).toEqual(bad.map(() => null));
});

test('an SVG may be drawn, styled, linked inside itself, and contain raster images and fonts', () => {
  const inner = `
    <!-- drawn by hand -->
    <defs><linearGradient id="a"/><style>@font-face { src: url( "data:font/woff2;base64,AA" ) } .a { fill: url(#a) }</style></defs>
    <path d="M0 0h1" fill="url(#a)" style="filter: url('#a')" class="one"/>
    <use href="#a"/><use xlink:href=" #a"/><image href="data:image/png;base64,AA"/><a href=""/>
    <text id="image (2)">url(http://vendor.example)</text><animate attributeName="opacity" to="1"/>
    <style/><metadata><x:rdf xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#" x:about="http://vendor.example"/></metadata>`;
  expect(problemsOf(`\uFEFF<?xml version="1.0" encoding="utf-8"?>\n${svg(inner)}`)).toBe('image/svg+xml');
  expect(problemsOf(`<?xml version="1.0" encoding="US-ASCII"?><?tool x?>${svg('')}\n`)).toBe('image/svg+xml');
});

test.each(HOSTILE_SVGS)('an SVG with %s is refused', (_name, content) =>
  expect(problemsOf(content)).toMatchSnapshot(),
);

test('the second style sheet is validated on its own', () =>
  expect(problemsOf(svg('<style>a{b:"@im"}</style><style>port</style>'))).toBe('image/svg+xml'));

test('a style sheet contains no element: browsers would leave out its text', () => {
  const refused = [expect.stringContaining('The style sheet contains an element. Remove it.')];
  expect(problemsOf(svg('<style>@imp<g>zz</g>ort "https://evil.example/a.css";</style>'))).toEqual(refused);
  expect(problemsOf(svg('<style>a{}<style/>b{}</style>'))).toEqual(refused);
});

test('a style sheet extends from its start tag to its end tag', () => {
  expect(problemsOf(svg('<g><style><g/>@import "a.css";</style></g>'))).toHaveLength(2);
  expect(problemsOf(svg('<style/><text>@import</text><![CDATA[@import]]>'))).toBe('image/svg+xml');
  expect(problemsOf(svg('<g><style>a{}</style></g><g><text>@import</text></g>'))).toBe('image/svg+xml');
});

test('words and names that only look like code are text', () => {
  const inner = `
    <path class="no-javascript" fill="image(2)" id="a data:text" x:about="on" xmlns:x="urn:x"/><g xmlns:href="urn:x"/>
    <set attributeName="monochrome"/><set by="href"/><text>onload=</text>`;
  expect(problemsOf(svg(inner))).toBe('image/svg+xml');
  expect(problemsOf(`<?xml version="1.0"?><?sheet x?>${svg('')}`)).toBe('image/svg+xml');
});

test('an encoding that only starts like UTF-8 is refused', () =>
  expect(problemsOf(`<?xml version="1.0" encoding="utf-8x"?>${svg('')}`)).toHaveLength(1));

test('an SVG image starts with XML, after at most a byte order mark and blanks; other files are not images', () => {
  expect(problemsOf(`\uFEFF \t\r\n${svg('')}`)).toBe('image/svg+xml');
  for (const text of [`x${svg('')}`, `\u00a0${svg('')}`, ` \uFEFF${svg('')}`])
    expect(problemsOf(text)).toEqual(problemsOf('%PDF-1.7'));
  expect(problemsOf(' '.repeat(600) + svg(''))).toEqual(problemsOf('%PDF-1.7'));
});

test('each issue of an element or attribute has the position where that starts, however many lines its tag has', () =>
  expect(
    problemsOf(`<svg xmlns="http://www.w3.org/2000/svg"\r\n  onload="a()"\n\tid="onload"\n style="a:url(b)\n c"\n>
<script></script>\n  <handler\r\n/></svg>`),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a:2:3 | The event attribute "onload" is not allowed. Remove it.",
      "✗ layout-file-type ModuleImage/a:4:2 | "style" contains a url() that points outside the file. Remove it.",
      "✗ layout-file-type ModuleImage/a:7:1 | The element "script" is not allowed. Remove it.",
      "✗ layout-file-type ModuleImage/a:8:3 | The element "handler" is not allowed. Remove it.",
    ]
  `));

test('an XML error has its position as fields, not in its text', () =>
  expect(problemsOf(svg(`${'\n'.repeat(10)}<g></path>`))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a:12:11 | The image is not well-formed XML: unexpected close tag.",
    ]
  `));

test('an XML error names things as the file does', () =>
  expect(problemsOf(svg('<a.b:c/>'))).toEqual([
    expect.stringContaining(' | The image is not well-formed XML: unbound namespace prefix: "a.b".'),
  ]));

test('an XML error that repeats a name as long as the image is cut', () => {
  const [line = ''] = problemsOf(
    `<svg xmlns="http://www.w3.org/2000/svg"><${'a'.repeat(5_000_000)}:b/></svg>`,
  );
  expect(line).toContain(' | The image is not well-formed XML: unbound namespace prefix: "aaa');
  expect(line.length).toBeLessThan(5_000);
});

test('functions of CSS that name an image are found, but not within other names', () => {
  for (const css of [
    'image(a)',
    'b:image(a)',
    'b: src(a)',
    '(cross-fade(a',
    'image-set(a)',
    'image-set \n (a)',
    'vbscript:a',
    'JavaScript:a',
    '@IMPORT',
  ]) {
    expect([css, outerReferenceIn(css, true)]).toEqual([css, expect.any(String)]);
  }
  for (const css of [
    '-image(a)',
    'ximage(a)',
    '_src(a)',
    'image (a)',
    'import',
    'javascript',
    'url(#a)',
    '',
  ]) {
    expect([css, outerReferenceIn(css, true)]).toEqual([css, null]);
  }
  for (const css of ['image(a)', 'b:src(a)']) expect(outerReferenceIn(css, false)).toBeNull();
  expect(outerReferenceIn('b:\\69mage(a)', false)).toBeNull();
  expect(outerReferenceIn('b:\\69mage(a)', true)).toEqual(expect.any(String));
  expect(outerReferenceIn('url(a)', false)).toEqual(expect.any(String));
});

test('CSS escapes are decoded as in browsers', () => {
  const style = (css: string) => Array.isArray(problemsOf(svg(`<style>${css}</style>`)));
  expect(style('a{b:\\u\\r\\l(x)}')).toBe(true);
  expect(style('a{b:\\000075rl(x)}')).toBe(true);
  expect(style('a{b:u\\72\tl(x)}')).toBe(true);
  expect(style('a{b:u\\\nrl(x)}')).toBe(true);
  expect(style('a{b:"\\0 \\110000 \\62"}')).toBe(false);
  // A NUL becomes U+FFFD, which turns the fragment after it into a file name.
  expect(style('a{b:\\75rl(\\0 #a)}')).toBe(true);
  expect(style('a{b:\\75rl(#a\\0)}')).toBe(false);
  for (const blank of [' ', '\t', '\r', '\n', '\f', '\r\n', ''])
    expect([blank, outerReferenceIn(`\\75${blank}rl(x)`, true)]).toEqual([blank, expect.any(String)]);
  expect(outerReferenceIn('\\75  rl(x)', true)).toBeNull();
  for (const newline of ['\r', '\n', '\f', '\r\n'])
    expect([newline, outerReferenceIn(`u\\${newline}rl(x)`, true)]).toEqual([newline, expect.any(String)]);
  expect(outerReferenceIn('u\\\n\nrl(x)', true)).toBeNull();
  expect(outerReferenceIn('\\0000075rl(x)', true)).toBeNull();
  expect(outerReferenceIn('\\000075 rl(x)', true)).toEqual(expect.any(String));
});

test.each(['url(\\#a)', 'url(\\23 a)', 'x\\src(a)'])(
  'CSS that looks like a reference before its escapes are undone is refused too: %s',
  (css) => expect(outerReferenceIn(css, true)).toEqual(expect.any(String)),
);

test('depth is limited to 256 elements', () => {
  const nested = (depth: number) => svg('<g>'.repeat(depth - 1) + '</g>'.repeat(depth - 1));
  expect(problemsOf(nested(256))).toBe('image/svg+xml');
  expect(problemsOf(nested(257))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a:2:769 | The image is nested more than 256 levels deep.",
    ]
  `);
});

test('an outer url() is found behind any number of blanks and quotes', () => {
  const style = (css: string) => problemsOf(svg(`<style>${css}</style>`));
  expect(style(`a{b:url(${' '.repeat(5000)}http://evil.example)}`)).toHaveLength(1);
  expect(style(`a{b:url( "${' '.repeat(5000)}http://evil.example")}`)).toHaveLength(1);
  expect(style(`a{b:url( "${' '.repeat(5000)}#a")} c{d:url( 'http://evil.example')}`)).toHaveLength(1);
  expect(style(`a{b:url( "${' '.repeat(5000)}#a")}`)).toBe('image/svg+xml');
});

test('CSS with escapes has at most 1 MiB', () => {
  const style = (length: number) => problemsOf(svg(`<style>${'\\2a'.padEnd(length)}</style>`));
  expect(style(1024 * 1024)).toBe('image/svg+xml');
  expect(style(1024 * 1024 + 1)).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a:2:1048593 | The style sheet contains more than 1 MiB of CSS with escapes. Remove it.",
    ]
  `);
  expect(problemsOf(svg(`<style>${' '.repeat(1024 * 1024 + 1)}</style>`))).toBe('image/svg+xml');
});

test('an image has at most 100,000 elements and attributes', () => {
  // The root has three: itself and two namespaces.
  const path = '<path d=""/>';
  expect(problemsOf(svg(path.repeat(49_998) + '<g/>'))).toBe('image/svg+xml');
  expect(problemsOf(svg(path.repeat(49_998) + '<g a=""/>'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleImage/a:2:599984 | The image has more than 100000 elements, attributes, comments and other constructs.",
    ]
  `);
  expect(problemsOf(svg(path.repeat(49_998) + '<g/><g/>'))).toHaveLength(1);
});

test.each(['<?a?>', '<!---->', '<![CDATA[]]>'])('%s counts as an element does', (construct) => {
  expect(problemsOf(svg(construct.repeat(99_997)))).toBe('image/svg+xml');
  expect(problemsOf(svg(construct.repeat(2_000_000)))).toHaveLength(1);
});

test('a JPEG or AVIF whose start is made of ten megabytes of segments or brands is no image', () => {
  const jpeg = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    Buffer.alloc(10_000_000, 0xff),
    Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1, 1]),
  ]);
  const avif = Buffer.alloc(10_000_000, 'abcd');
  avif.writeUInt32BE(9_999_984, 0);
  avif.write('ftyp', 4);
  avif.write('avif', 9_999_980);
  expect(rasterType(jpeg)).toBeNull();
  expect(rasterType(avif)).toBeNull();
});

test('a JPEG has at most 9,999 fill bytes before its frame, and the box of brands of an AVIF 4,096 bytes', () => {
  const jpeg = (fill: number) => bytes([0xff, 0xd8], Array<number>(fill).fill(0xff), FRAME);
  const avif = (box: number) =>
    bytes([0, 0, box >> 8, box & 0xff], 'ftyp', 'avif'.padEnd(box - 8), [0, 0, 0, 8], 'meta');
  expect([jpeg(9_999), jpeg(10_000)].map(rasterType)).toEqual(['image/jpeg', null]);
  expect([avif(4_096), avif(4_100)].map(rasterType)).toEqual(['image/avif', null]);
});

test('at most twenty issues of an image are reported', () => {
  expect(problemsOf(svg('<script/>'.repeat(19)))).toHaveLength(19);
  expect(problemsOf(svg('<script/>'.repeat(25)))).toHaveLength(20);
});
