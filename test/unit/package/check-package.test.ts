import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkPackage } from '../../../shared/package/check-package.ts';
import type { PackageFile, PackageSink } from '../../../shared/package/check-package.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { judgeLayout } from '../../../shared/package/layout.ts';
import { PackageReader } from '../../../shared/package/read-package.ts';
import type { ArchiveEntry } from '../../../shared/package/zip/archive.ts';
import { PACKAGE_PROBLEMS } from '../../../shared/package/problem-codes.ts';
import { bufferSource } from '../../../shared/package/source.ts';
import type { PackageEntries } from '../../support/package-builder.ts';
import { FAULTY_PACKAGES } from '../../support/faulty-packages.ts';
import {
  checkEntries,
  EMPTY_ID,
  ENGLISH_ID,
  EXAMPLE_ALERT_RULES,
  examplePackage,
  GERMAN_ID,
  jsonText,
  OTHER_ID,
  packageDescriptor,
  tellProblems,
  testSettings,
  TINY_PNG,
  TINY_SVG,
  zipPackage,
} from '../../support/package-builder.ts';
import { buildZip } from '../../support/zip-builder.ts';

const ID = '99999999-9999-4999-8999-999999999999';
const ROLES = 'ModuleSpecificRolesEntitiesDefinition/roles.json';
const RULES = 'AlertRuleDefinitionFile/alert-rules.yaml';

/** A sink that keeps what it is given. */
class KeptFiles implements PackageSink {
  readonly events: string[] = [];
  readonly contents = new Map<string, Buffer>();

  async whole(file: PackageFile, content: Buffer): Promise<void> {
    await Promise.resolve();
    this.events.push(`whole ${file.path} ${file.mediaType}`);
    this.contents.set(file.path, Buffer.from(content));
  }

  pieces(path: string, sizeBytes: number, mediaType: string) {
    const pieces: Buffer[] = [];
    this.events.push(`pieces ${path} ${sizeBytes} ${mediaType}`);
    return {
      write: (piece: Buffer) => {
        pieces.push(Buffer.from(piece));
      },
      end: (sha256: string) => {
        this.events.push(`end ${path} ${sha256}`);
        this.contents.set(path, Buffer.concat(pieces));
      },
      abort: () => {
        this.events.push(`abort ${path}`);
      },
    };
  }
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

test('a good package has no problems, and gives descriptor, roles, alert rules and files by path', async () => {
  const report = await checkEntries(examplePackage());
  expect(report.problems).toEqual([]);
  expect(report.subject).toEqual({ moduleId: null, scope: 'irrigation-advisor' });
  expect(report.content?.roles?.roles[0]?.name).toBe('Agronomist');
  expect(Object.keys(report.content?.alertRules?.criterias ?? {})).toEqual(['temperature']);
  expect(report.content?.descriptor.translations.map(({ languageId }) => languageId)).toEqual([
    ENGLISH_ID,
    GERMAN_ID,
  ]);
  expect(report.content?.files.map(({ path, mediaType }) => `${path} ${mediaType}`)).toMatchInlineSnapshot(`
    [
      "AlertRuleDefinitionFile/alert-rules.yaml application/yaml",
      "ModuleImage/field.png image/png",
      "ModuleLogo/logo.svg image/svg+xml",
      "ModulePrivacy/privacy.pdf application/pdf",
      "ModuleSpecificRolesEntitiesDefinition/roles.json application/json",
      "ModuleToS/terms.pdf application/pdf",
      "PackageArtifact/build/assets/app.js text/javascript",
      "PackageArtifact/build/index.html text/html",
    ]
  `);
  expect(report.content?.files[1]).toEqual({
    path: 'ModuleImage/field.png',
    sizeBytes: TINY_PNG.length,
    sha256: sha256(TINY_PNG),
    crc32: crc32(TINY_PNG),
    mediaType: 'image/png',
  });
});

test('roles and alert rules are null where the package has none', async () => {
  const report = await checkEntries(examplePackage({ [ROLES]: undefined, [RULES]: undefined }));
  expect([report.content?.roles, report.content?.alertRules]).toEqual([null, null]);
});

test('an image whose name says another type has the type of its content', async () => {
  const entries = examplePackage({ 'ModuleImage/field.png': '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  const report = await checkEntries(entries);
  expect(report.content?.files[1]?.mediaType).toBe('image/svg+xml');
});

test('the sink gets every file but the descriptor and litter: whole up to 1 MiB, images whole, the rest in pieces', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1, 'x');
  const exact = large.subarray(1);
  const image = Buffer.concat([TINY_PNG, large]);
  const sink = new KeptFiles();
  const entries = {
    'moduleSchema.json': jsonText(
      packageDescriptor({ moduleFiles: [{ file: 'ModuleImage/a.png' }, { file: 'ModuleLogo/a.png' }] }),
    ),
    'PackageArtifact/build/large.js': large,
    'PackageArtifact/build/exact.js': exact,
    'ModuleToS/large.pdf': large,
    'ModulePrivacy/large.pdf': large,
    'ModuleImage/a.png': image,
    'ModuleLogo/a.png': image,
    '.DS_Store': large,
    '__MACOSX/x': 'x',
  };
  const report = await checkPackage(bufferSource(zipPackage(entries)), testSettings(), sink);
  expect(
    report.problems.map(({ code }) => code).filter((code) => code !== 'layout-file-unreferenced'),
  ).toEqual(['layout-litter-skipped', 'layout-litter-skipped']);
  const digest = sha256(large);
  expect(sink.events).toEqual([
    'pieces PackageArtifact/build/large.js 1048577 text/javascript',
    `end PackageArtifact/build/large.js ${digest}`,
    'whole PackageArtifact/build/exact.js text/javascript',
    'pieces ModuleToS/large.pdf 1048577 application/pdf',
    `end ModuleToS/large.pdf ${digest}`,
    'pieces ModulePrivacy/large.pdf 1048577 application/pdf',
    `end ModulePrivacy/large.pdf ${digest}`,
    'whole ModuleImage/a.png image/png',
    'whole ModuleLogo/a.png image/png',
  ]);
  expect([...sink.contents.keys()].toSorted()).toEqual(report.content?.files.map(({ path }) => path));
  for (const file of report.content?.files ?? []) {
    expect(sha256(sink.contents.get(file.path) ?? '')).toBe(file.sha256);
    expect(sink.contents.get(file.path)).toHaveLength(file.sizeBytes);
  }
});

test('descriptor, roles and alert rules are read up to their limits, beyond 1 MiB too', async () => {
  const limit = 2 * 1024 * 1024;
  const limits = {
    ...DEFAULT_PACKAGE_LIMITS,
    maxDescriptorBytes: limit,
    maxRolesBytes: limit,
    maxAlertRulesBytes: limit,
  };
  const blanks = ' '.repeat(limit - 10_000);
  const entries = examplePackage({
    'moduleSchema.json': jsonText(packageDescriptor()) + blanks,
    [ROLES]: `{}${blanks}`,
    [RULES]: `${EXAMPLE_ALERT_RULES}#${blanks}`,
  });
  expect((await checkEntries(entries, { limits })).problems).toEqual([]);
  const refused = await checkEntries(entries);
  expect(refused.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-file-too-large', RULES],
    ['layout-file-too-large', ROLES],
    ['layout-file-too-large', 'moduleSchema.json'],
  ]);
  expect(refused.subject).toBeNull();
});

test('an image over its limit and over 1 MiB is not held', async () => {
  const limits = { ...DEFAULT_PACKAGE_LIMITS, maxImageBytes: 2 * 1024 * 1024 };
  const image = Buffer.concat([TINY_PNG, Buffer.alloc(2 * 1024 * 1024)]);
  const report = await checkEntries(examplePackage({ 'ModuleImage/field.png': image }), { limits });
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-file-too-large', 'ModuleImage/field.png'],
  ]);
});

test('the SVG images of a package have at most 32 MiB together', async () => {
  const size = 8 * 1024 * 1024;
  const image = Buffer.concat([
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.alloc(size, ' '),
  ]).subarray(0, size);
  const limits = { ...DEFAULT_PACKAGE_LIMITS, expansionGraceBytes: 1024 ** 3 };
  const told = async (last: Buffer) => {
    const images = Object.fromEntries(
      Array.from({ length: 4 }, (_, index) => [`ModuleImage/${index}.svg`, image]),
    );
    const report = await checkEntries(
      { 'moduleSchema.json': '{', ...images, 'ModuleLogo/last': last },
      { limits },
    );
    return tellProblems(report.problems.filter(({ code }) => code !== 'descriptor-not-json'));
  };
  expect(await told(TINY_PNG)).toEqual([]);
  expect(await told(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-too-large ModuleLogo/last | The SVG images of the package have more than 33554432 bytes together.",
    ]
  `);
});

/** The reader of a package with these images in `ModuleImage/`, without a sink. */
function imageReader(names: readonly string[]): PackageReader {
  const entries = names.map((name) => entryOf(`ModuleImage/${name}`));
  return new PackageReader(judgeLayout(entries, testSettings()), testSettings(), undefined);
}

function entryOf(path: string, sizeBytes = 0): ArchiveEntry {
  return {
    path,
    isFolder: false,
    method: 'stored',
    packedBytes: sizeBytes,
    sizeBytes,
    crc32: 0,
    headerOffset: 0,
  };
}

test('SVG images are judged up to 32 MiB together; raster images do not count, nor do they suffer', () => {
  const reader = imageReader(['0', '1', '2', '3', 'a.png', 'b.svg', 'c.svg', 'd.png']);
  const read = (name: string, content: Buffer) => {
    const before = reader.problems.length;
    void reader.whole(entryOf(`ModuleImage/${name}`), content, '');
    return reader.problems.slice(before).map(({ code, entry }) => `${code} ${entry ?? ''}`);
  };
  // An HTML root ends the judging at once, so that size costs no time.
  const large = (less: number) => {
    const content = Buffer.alloc(8 * 1024 * 1024 - less, ' ');
    content.write('<html/>');
    return content;
  };
  for (const name of ['0', '1', '2'])
    expect(read(name, large(0))).toEqual([`layout-file-type ModuleImage/${name}`]);
  expect(read('3', large(Buffer.byteLength(TINY_SVG)))).toHaveLength(1);
  expect(read('a.png', TINY_PNG)).toEqual([]);
  expect(read('b.svg', Buffer.from(TINY_SVG))).toEqual([]);
  expect(read('c.svg', Buffer.from('<'))).toEqual(['layout-file-too-large ModuleImage/c.svg']);
  expect(read('d.png', TINY_PNG)).toEqual([]);
  expect(reader.files.map(({ path }) => path)).toEqual(
    ['a.png', 'b.svg', 'd.png'].map((name) => `ModuleImage/${name}`),
  );
});

test('beyond 1 MiB only what is judged by its whole content is held whole, within its limit', () => {
  const mebibyte = 1024 * 1024;
  const limits = { ...DEFAULT_PACKAGE_LIMITS, maxRolesBytes: 3 * mebibyte };
  const held = (path: string, sizeBytes: number) => {
    const layout = judgeLayout([entryOf(path, sizeBytes)], testSettings({ limits }));
    return new PackageReader(layout, testSettings({ limits }), undefined).wantsWhole(
      entryOf(path, sizeBytes),
    );
  };
  const judged = [ROLES, 'ModuleImage/a.png', 'ModuleLogo/a.png'];
  expect(judged.map((path) => held(path, 2 * mebibyte))).toEqual([true, true, true]);
  const over = [...judged, RULES, 'moduleSchema.json'];
  expect(over.map((path) => held(path, 20 * mebibyte))).toEqual(over.map(() => false));
  const rest = ['PackageArtifact/build/a', 'ModuleToS/a.b', 'ModulePrivacy/a.b', 'elsewhere', '.DS_Store'];
  expect(rest.map((path) => held(path, mebibyte + 1))).toEqual(rest.map(() => false));
  expect(rest.map((path) => held(path, mebibyte))).toEqual(rest.map(() => true));
});

test('a package is judged without a sink too, large files among them', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1);
  const report = await checkEntries(examplePackage({ 'PackageArtifact/build/large.js': large }));
  expect(report.problems).toEqual([]);
  expect(report.content?.files.find(({ path }) => path.endsWith('large.js'))).toEqual({
    path: 'PackageArtifact/build/large.js',
    sizeBytes: large.length,
    sha256: sha256(large),
    crc32: crc32(large),
    mediaType: 'text/javascript',
  });
});

test('the sink gets nothing where the layout is refused, and no image that is none', async () => {
  const refused = new KeptFiles();
  const unexpected = zipPackage(examplePackage({ 'readme.txt': 'x' }));
  await checkPackage(bufferSource(unexpected), testSettings(), refused);
  expect(refused.events).toEqual([]);
  const sink = new KeptFiles();
  const badImage = zipPackage(examplePackage({ 'ModuleImage/field.png': 'x', '.DS_Store': 'x' }));
  await checkPackage(bufferSource(badImage), testSettings(), sink);
  expect(sink.contents.has('ModuleLogo/logo.svg')).toBe(true);
  expect(sink.contents.has('ModuleImage/field.png')).toBe(false);
});

test('what the sink throws is thrown', async () => {
  const sink: PackageSink = {
    whole: () => Promise.reject(new Error('storage is out of reach')),
    pieces: () => ({ write: () => undefined, end: () => undefined, abort: () => undefined }),
  };
  const zip = zipPackage(examplePackage());
  await expect(checkPackage(bufferSource(zip), testSettings(), sink)).rejects.toThrow(
    'storage is out of reach',
  );
});

test('progress ends at the bytes of the entries', async () => {
  const seen: [number, number][] = [];
  const zip = zipPackage(examplePackage());
  await checkPackage(bufferSource(zip), testSettings(), undefined, (done, total) => seen.push([done, total]));
  const directoryOffset = zip.indexOf('PK\x01\x02', 0, 'latin1');
  expect(seen.at(-1)).toEqual([directoryOffset, directoryOffset]);
});

test('what the directory shows is told alone, and nothing is read', async () => {
  const sink = new KeptFiles();
  const zip = buildZip([
    { path: '../a', content: 'x' },
    { path: 'readme.txt', content: 'x' },
    { path: '/b', content: 'x' },
  ]);
  const report = await checkPackage(bufferSource(zip), testSettings(), sink);
  expect(report.problems.map(({ code }) => code)).toEqual([
    'archive-entry-name-unsafe',
    'archive-entry-name-unsafe',
  ]);
  expect([report.subject, report.content, sink.events]).toEqual([null, null, []]);
});

/** The package with one byte of an entry's stored content changed, so that its CRC-32 is wrong. */
function corrupt(entries: PackageEntries, path: string): Buffer {
  const specs = Object.entries(entries).flatMap(([each, content]) =>
    content === undefined ? [] : [{ path: each, content, method: 'stored' as const }],
  );
  const zip = buildZip(specs);
  const offset = zip.indexOf(path, 0, 'utf8') + Buffer.byteLength(path);
  zip[offset + 1] = (zip[offset + 1] ?? 0) ^ 0xff;
  return zip;
}

test('a corrupt descriptor adds its problem, and layout and the other files are judged', async () => {
  const entries = examplePackage({ 'readme.txt': 'x', [ROLES]: '[]' });
  const report = await checkPackage(bufferSource(corrupt(entries, 'moduleSchema.json')), testSettings());
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['archive-entry-corrupt', 'moduleSchema.json'],
    ['roles-invalid', ROLES],
    ['layout-entry-unexpected', 'readme.txt'],
  ]);
  expect([report.subject, report.content]).toEqual([null, null]);
});

test('a corrupt file in pieces is aborted, and the package refused', async () => {
  const path = 'PackageArtifact/build/large.js';
  const sink = new KeptFiles();
  const entries = {
    'moduleSchema.json': jsonText(packageDescriptor({ moduleFiles: [] })),
    [path]: Buffer.alloc(3 * 1024 * 1024),
  };
  const report = await checkPackage(bufferSource(corrupt(entries, path)), testSettings(), sink);
  expect(report.problems.map(({ code }) => code)).toEqual(['archive-entry-corrupt']);
  expect(report.content).toBeNull();
  expect(report.subject).not.toBeNull();
  expect(sink.events).toEqual([`pieces ${path} 3145728 text/javascript`, `abort ${path}`]);
});

test('one package with ten different faults has ten problems, each with entry, pointer, line and column', async () => {
  const report = await checkEntries(
    examplePackage({
      'moduleSchema.json': jsonText(
        packageDescriptor({
          schema: '2.0',
          scope: ' ',
          slogan: 'x',
          cropIds: [ID, ID],
          dataAreaIds: [OTHER_ID],
          translations: [
            { languageId: GERMAN_ID, moduleName: 'A' },
            { languageId: GERMAN_ID, moduleName: 'B' },
            { languageId: OTHER_ID, moduleName: 'C' },
          ],
          moduleFiles: [
            ...(packageDescriptor()['moduleFiles'] as object[]),
            { file: 'ModuleLogo/other.png' },
          ],
        }),
      ),
      [ROLES]: jsonText({ roles: 5 }),
      [RULES]: EXAMPLE_ALERT_RULES.replace('field: number', 'field: color'),
    }),
  );
  expect(tellProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/alert-rules.yaml:11:23 /criterias/temperature/parts/value/field | criterias.temperature.parts.value.field must be one of select, number, text, boolean, date; it is "color".",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:2:12 /roles | roles must be an array; it is 5.",
      "! descriptor-value-repeated moduleSchema.json:13:5 /cropIds/1 | cropIds holds 99999999-9999-4999-8999-999999999999 twice; the repeat is ignored.",
      "✗ descriptor-data-area-unknown moduleSchema.json:16:5 /dataAreaIds/0 | The data area ffffffff-ffff-4fff-8fff-ffffffffffff is not in the catalogue.",
      "✗ descriptor-file-missing moduleSchema.json:71:15 /moduleFiles/4/file | The package has no file "ModuleLogo/other.png".",
      "✗ descriptor-schema-unsupported moduleSchema.json:2:13 /schema | schema must be "1.0"; it is "2.0".",
      "✗ descriptor-invalid moduleSchema.json:8:12 /scope | scope must be text that is not blank, without NUL characters and lone surrogates; it is " ".",
      "! descriptor-property-unknown moduleSchema.json:74:3 /slogan | The property "slogan" is not known and was ignored.",
      "✗ descriptor-english-missing moduleSchema.json:18:19 /translations | No translation has the languageId of English, 11111111-1111-4111-8111-111111111111.",
      "✗ descriptor-translation-duplicate moduleSchema.json:24:21 /translations/1/languageId | The language 22222222-2222-4222-8222-222222222222 is translated twice; there is one translation per language.",
      "✗ descriptor-language-unknown moduleSchema.json:28:21 /translations/2/languageId | The language ffffffff-ffff-4fff-8fff-ffffffffffff is not in the catalogue.",
    ]
  `);
  expect(new Set(report.problems.map(({ code }) => code)).size).toBeGreaterThanOrEqual(10);
  for (const { entry, pointer, line, column } of report.problems) {
    expect([typeof entry, typeof pointer, typeof line, typeof column]).toEqual([
      'string',
      'string',
      'number',
      'number',
    ]);
  }
  expect(report.content).toBeNull();
});

/** Codes that are raised where the archive is read or the registry is asked. */
const ELSEWHERE = /^(?:archive|registry)-|^layout-part-removed$/;

test.each(Object.keys(PACKAGE_PROBLEMS).filter((code) => !ELSEWHERE.test(code)))(
  '%s is raised by a faulty package',
  async (code) => {
    const report = await checkEntries(FAULTY_PACKAGES[code] ?? {}, { requiredFolders: ['ModuleToS'] });
    const found = report.problems.find((each) => each.code === code);
    expect(found?.entry).toBeTypeOf('string');
    const passes = report.problems.every(({ severity }) => severity === 'warning');
    expect(report.content !== null).toBe(passes);
  },
);

test('problems are in the order of entry, pointer and place', async () => {
  const report = await checkEntries(
    examplePackage({
      'a.txt': 'x',
      'z.txt': 'x',
      'moduleSchema.json': jsonText(packageDescriptor({ scope: '', moduleId: 'x', parentId: EMPTY_ID })),
    }),
  );
  expect(report.problems.map(({ entry, pointer }) => `${entry ?? ''} ${pointer ?? ''}`)).toEqual([
    'a.txt ',
    'moduleSchema.json /moduleId',
    'moduleSchema.json /scope',
    'z.txt ',
  ]);
});
