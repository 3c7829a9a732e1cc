import { jsonText, packageDescriptor } from '../package-builder.ts';
import { repeated } from './hostile-bodies.ts';

/** A file of a package that is within its limits and expensive to validate, by what it repeats. */
export type HostileFile = readonly [title: string, path: string, content: () => string];

const KiB = 1024;
const MiB = 1024 * KiB;
const SVG_START = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">';
const image = (bytes: number, item: (index: number) => string, start = SVG_START, end = '</svg>') =>
  repeated(bytes, item, start, end, '');

const descriptor = (member: string, item: (index: number) => string) => () => {
  const others = jsonText(packageDescriptor({ [member]: undefined }));
  const rest = others.slice(0, others.lastIndexOf('}'));
  return repeated(1 * MiB, item, `${rest},"${member}":[`, ']}');
};

/** Items until the parser's limit of values; more is refused by a scan. */
const atMost = (max: number, item: (index: number) => string) => (index: number) =>
  index < max ? item(index) : ' '.repeat(MiB);

const DESCRIPTORS: readonly HostileFile[] = (
  [
    [
      'numbers where IDs belong',
      descriptor(
        'cropIds',
        atMost(49_900, () => '0'),
      ),
    ],
    [
      'empty objects',
      descriptor(
        'moduleFiles',
        atMost(49_900, () => '{}'),
      ),
    ],
    [
      'unknown members',
      descriptor(
        'translations',
        atMost(12_000, (i) => `{"a${i}":1,"b":2,"c":3,"d":4}`),
      ),
    ],
    ['files that are not there', descriptor('moduleFiles', (i) => `{"file":"ModuleToS/t${i}.pdf"}`)],
    ['over-long texts', descriptor('translations', (i) => `{"languageId":"${i}${'x'.repeat(300)}"}`)],
    ['values beyond the limit', descriptor('cropIds', () => '0')],
    ['nothing but brackets', () => '['.repeat(1 * MiB)],
    [
      'duplicate keys',
      () =>
        repeated(
          1 * MiB,
          atMost(49_900, () => '"a":0'),
          '{',
          '}',
        ),
    ],
    ['one string', () => `{"scope":"${'\\n'.repeat(MiB / 2 - 20)}"}`],
  ] as const
).map(([title, content]) => [`descriptor: ${title}`, 'moduleSchema.json', content]);

const ROLES: readonly HostileFile[] = (
  [
    [
      'roles without members',
      () =>
        repeated(
          1 * MiB,
          atMost(49_900, () => '{}'),
          '{"roles":[',
          ']}',
        ),
    ],
    [
      'permissions of an ill name',
      () =>
        repeated(
          1 * MiB,
          atMost(49_900, (i) => `"-${i}":[]`),
          '{"roles":[{"name":"a","baseRoles":[],"permissions":{',
          '}}]}',
        ),
    ],
    ['long keys', () => repeated(1 * MiB, (i) => `"${i}${'k'.repeat(201)}":0`, '{', '}')],
  ] as const
).map(([title, content]) => [`roles: ${title}`, 'ModuleSpecificRolesEntitiesDefinition/roles.json', content]);

const RULES: readonly HostileFile[] = (
  [
    ['empty lists', () => repeated(1 * MiB, (i) => (i < 48_000 ? '[]' : ' '.repeat(MiB)), 'a: [', ']')],
    ['keys', () => repeated(1 * MiB, (i) => (i < 24_000 ? `k${i}: 1` : ' '.repeat(MiB)), '', '', '\n')],
    ['tokens beyond the limit', () => repeated(1 * MiB, () => '[]', 'a: [', ']')],
    [
      'anchors',
      () => repeated(1 * MiB, (i) => (i < 9_000 ? `k${i}: &a${i} 1` : ' '.repeat(MiB)), '', '', '\n'),
    ],
    ['aliases', () => `a: &a [1]\nb: ${repeated(300 * KiB, (i) => (i < 9_000 ? '*a' : ' '.repeat(MiB)))}`],
    [
      'levels',
      () =>
        `a: ${'['.repeat(60)}${']'.repeat(60)}\n${repeated(200 * KiB, (i) => `b${i}: [[[[]]]]`, '', '', '\n')}`,
    ],
    ['tabs', () => `a: ${'\t'.repeat(MiB - 10)}`],
    ['one quoted text of many lines', () => `a: "${'x\n  '.repeat(MiB / 5)}"`],
    ['one plain text of many lines', () => `a: x\n${'  x\n'.repeat(MiB / 5)}`],
    ['comments', () => '#\n'.repeat(MiB / 2)],
    ['blank lines', () => `a: 1${'\n'.repeat(MiB - 10)}`],
    ['documents', () => '---\n'.repeat(MiB / 5)],
    ['directives', () => '%A b\n'.repeat(MiB / 6)],
    ['question marks', () => '? '.repeat(MiB / 3)],
    ['dashes', () => '- '.repeat(MiB / 3)],
    ['a block text', () => `a: |\n${' x\n'.repeat(MiB / 4)}`],
    [
      'unknown members',
      () =>
        repeated(
          800 * KiB,
          (i) => (i < 12_000 ? `  c${i}: {}` : ' '.repeat(MiB)),
          'schema: !!float 1.1\ncriterias:\n',
          '',
          '\n',
        ),
    ],
  ] as const
).map(([title, content]) => [`YAML: ${title}`, 'AlertRuleDefinitionFile/alert-rules.yaml', content]);

const IMAGES: readonly HostileFile[] = (
  [
    ['processing instructions', () => image(10 * MiB, () => '<?a?>')],
    ['style sheets beside it', () => image(10 * MiB, () => '<?a?>', '', SVG_START + '</svg>')],
    ['comments', () => image(10 * MiB, () => '<!---->')],
    ['CDATA sections', () => image(10 * MiB, () => '<![CDATA[]]>')],
    [
      'CDATA sections in a style',
      () => image(10 * MiB, () => '<![CDATA[a]]>', `${SVG_START}<style>`, '</style></svg>'),
    ],
    ['entities', () => image(10 * MiB, () => '&lt;')],
    ['numeric entities', () => image(10 * MiB, () => '&#x41;')],
    ['entities in an attribute', () => image(10 * MiB, () => '&#9;', `${SVG_START}<a b="`, '"/></svg>')],
    ['line ends', () => image(10 * MiB, () => '\r\n')],
    ['carriage returns', () => image(10 * MiB, () => '\r')],
    ['plain text', () => image(10 * MiB, () => 'abcdefghijklmnop')],
    ['astral characters', () => image((10 * MiB) / 2, () => '😀')],
    ['elements', () => image(10 * MiB, (i) => (i < 99_000 ? '<g/>' : 'x'.repeat(20 * MiB)))],
    ['styles', () => image(10 * MiB, (i) => (i < 99_000 ? '<style>a</style>' : ' '.repeat(20 * MiB)))],
    [
      'attributes',
      () =>
        image(
          10 * MiB,
          (i) => (i < 99_000 ? ` a${i}=""` : ' '.repeat(20 * MiB)),
          `${SVG_START}<g`,
          '/></svg>',
        ),
    ],
    [
      'namespaces',
      () =>
        image(
          10 * MiB,
          (i) => (i < 90_000 ? ` xmlns:a${i}="urn:${i}"` : ' '.repeat(20 * MiB)),
          `${SVG_START}<g`,
          '/></svg>',
        ),
    ],
    ['deep elements', () => SVG_START + '<g a:b="" xmlns:a="urn:a">'.repeat(250) + '<a:g/>'.repeat(90_000)],
    ['spaces in a tag', () => image(10 * MiB, () => ' ', `${SVG_START}<g`, '/></svg>')],
    ['a style of escapes', () => image(1 * MiB, () => '\\61 ', `${SVG_START}<style>`, '</style></svg>')],
    ['a style of url(', () => image(10 * MiB, () => 'url(  ', `${SVG_START}<style>`, '</style></svg>')],
    ['attributes of url(', () => image(10 * MiB, (i) => `<g a="${'url(# '.repeat(20)}${i}"/>`)],
    ['one long name', () => image(10 * MiB, () => 'a', `${SVG_START}<`, '/></svg>')],
    ['one long processing instruction', () => image(10 * MiB, () => '?', `${SVG_START}<?a `, '?></svg>')],
    ['one long comment', () => image(10 * MiB, () => ' - ', `${SVG_START}<!--`, '--></svg>')],
    ['a DTD', () => image(10 * MiB, () => '<!-- -->', '<!DOCTYPE svg [', `]>${SVG_START}</svg>`)],
    ['a DTD of quotes', () => image(10 * MiB, () => '""', '<!DOCTYPE svg ', `>${SVG_START}</svg>`)],
    ['blanks before it', () => ' '.repeat(400) + SVG_START + '</svg>' + ' '.repeat(10 * MiB - 1_000)],
  ] as const
).map(([title, content]) => [`SVG: ${title}`, 'ModuleImage/hostile.svg', content]);

const DOCUMENTS: readonly HostileFile[] = (
  [
    ['a PDF of names that begin like a script', 'pdf', '%PDF-1.7\n', '/JSx'],
    ['a PDF of slashes', 'pdf', '%PDF-1.7\n', '/'],
    ['a page of attributes', 'html', '<!doctype html><a', ' on'],
    ['a page of elements', 'html', '<!doctype html>', '<a /on'],
    ['a page of open brackets', 'html', '<!doctype html>', '<meta http-equiv '],
    ['a page of addresses', 'html', '<!doctype html>', 'url( '],
    ['a page of spaces', 'html', '<!doctype html><img src', ' '],
  ] as const
).map(([title, extension, start, unit]) => [
  `document: ${title}`,
  `ModuleToS/terms.${extension}`,
  () => start + unit.repeat(Math.floor((10 * MiB - start.length) / unit.length)),
]);

/** Files of every kind that is parsed. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...DESCRIPTORS,
  ...ROLES,
  ...RULES,
  ...IMAGES,
  ...DOCUMENTS,
];
