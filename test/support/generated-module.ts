import fc from 'fast-check';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import { PIXEL } from './sample-package.ts';
import { buildZip } from './zip-builder.ts';

/** A package that passes every rule: its descriptor as a vendor may write it, and its other files by path. */
export interface GeneratedModule {
  readonly descriptor: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, Buffer>;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
/** An optional member: absent, null, or present. */
const member = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.constant({}),
    fc.constant({ [name]: null }),
    value.map((each) => ({ [name]: each })),
  );
const members = (all: readonly fc.Arbitrary<object>[]) =>
  fc.tuple(...all).map((each) => Object.assign({}, ...each) as Record<string, unknown>);

/** Text of any script, with quotes, control characters and line ends; no NUL and no lone surrogate. */
const text = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom('"', '\\', '\n', '\r', '\t', '\u2028', 'é', '\u0301', '🌾', 'ß', '中'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength,
    })
    .map((each) => each.replaceAll('\0', ' '));
const name = text(40).filter((each) => each.trim() !== '');
const id = fc
  .uuid()
  .chain((each) => fc.constantFrom(each, each.toUpperCase()))
  .filter((each) => !/^[0-]*$/.test(each));
const ids = fc.array(id, { maxLength: 5 });

/** Decimals of up to 15 significant digits, near zero and huge ones too. */
const price = fc.oneof(
  fc.constantFrom(
    0,
    9.95,
    0.1,
    999999999999999,
    99999999999999.9,
    0.000001234567890123,
    1e-7,
    1e21,
    123456789.012345,
  ),
  fc
    .tuple(fc.nat({ max: 999_999_999_999_999 }), fc.integer({ min: -30, max: 30 }))
    .map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
);

/** A file name that every system allows, and that no two systems read differently. */
const segment = fc.oneof(
  fc.constantFrom(
    'index.html',
    'with space.txt',
    'Übersicht.txt',
    '日本語',
    '🌾.js',
    "it's (v2)!.txt",
    '100%.css',
    '.hidden',
    'a+b&c=d;e,f@g',
  ),
  fc.stringMatching(/^[a-z0-9_-]{1,20}$/).map((each) => `f-${each}`),
);
const path = fc.array(segment, { minLength: 1, maxLength: 8 }).map((each) => each.join('/'));
const content = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  // Read, stored and sent in pieces.
  fc.nat({ max: 255 }).map((byte) => Buffer.alloc(1_200_000, byte)),
);

/** Paths of which none is another's folder, nor equal to another when case is ignored. */
function compatible(entries: readonly (readonly [string, Buffer])[]): [string, Buffer][] {
  const taken = new Set<string>();
  const folders = new Set<string>();
  return entries.flatMap(([each, bytes]): [string, Buffer][] => {
    const folded = each.normalize('NFKC').toUpperCase().toLowerCase();
    const parents = [...folded.matchAll(/\//g)].map(({ index }) => folded.slice(0, index));
    if (taken.has(folded) || folders.has(folded) || parents.some((parent) => taken.has(parent))) return [];
    taken.add(folded);
    for (const parent of parents) folders.add(parent);
    return [[each, bytes]];
  });
}

const artifact = fc
  .array(fc.tuple(path, content), { minLength: 1, maxLength: 12 })
  .map((entries) =>
    compatible(entries).map(([each, bytes]) => [`PackageArtifact/build/${each}`, bytes] as const),
  );

const languageTag = fc.constantFrom('en', 'de-de', 'zh-hant-tw', 'PT-br', 'sr-Latn');
const country = fc.constantFrom('US', 'de', 'DEU', 'bra');
const documents = (folder: string) =>
  fc.uniqueArray(
    fc.record({
      file: fc.constantFrom('terms.md', 'Ütopia.pdf', 'a b.c.txt').map((each) => `${folder}/${each}`),
      countryId: country,
      languageId: languageTag,
      documentTypeId: maybe(id),
    }),
    { selector: ({ file }) => file, maxLength: 3 },
  );
const images = (folder: string) =>
  fc
    .uniqueArray(
      fc.constantFrom('a.png', 'ü.png', 'no extension').map((each) => `${folder}/${each}`),
      { maxLength: 2 },
    )
    .map((paths) => paths.map((file) => ({ file })));

const localized = fc
  .dictionary(fc.constantFrom('de', 'es', 'pt-BR'), text(20))
  .chain((others) => text(20).map((en) => ({ en, ...others })));
const identifier = fc.stringMatching(/^[a-z][A-Za-z0-9 ]{0,10}$/).map((each) => `${each}x`);
const part = fc.oneof(
  fc.record({
    field: fc.constant('select'),
    title: localized,
    options: fc.dictionary(identifier, localized, { minKeys: 1, maxKeys: 3 }),
  }),
  members([
    fc.record({ field: fc.constantFrom('number', 'text', 'boolean', 'date'), title: localized }),
    member('unit', text(5)).filter((each) => !('unit' in each && each['unit'] === null)),
  ]),
);
const interval = fc.integer({ min: 1, max: 8_760 });
const alertRules = fc
  .record(
    {
      schema: fc.constant(1.1),
      expectedIntervalHours: interval,
      criterias: fc.dictionary(
        identifier,
        fc.record(
          {
            displayName: localized,
            expectedIntervalHours: interval,
            parts: fc.dictionary(identifier, part, { maxKeys: 3 }),
          },
          { requiredKeys: ['displayName', 'parts'] },
        ),
        { minKeys: 1, maxKeys: 3 },
      ),
    },
    { requiredKeys: ['schema', 'criterias'] },
  )
  // JSON is YAML; the comment and the blanks are the vendor's, and are kept.
  .map((rules) => `# by hand\n${JSON.stringify(rules, null, 1)}\n`);

const roles = fc
  .record({
    roles: fc.array(
      fc.record({
        name,
        baseRoles: fc.array(name, { maxLength: 2 }),
        permissions: fc.dictionary(
          fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/),
          fc.array(text(10), { maxLength: 2 }),
        ),
      }),
      { maxLength: 3 },
    ),
    data: fc.array(fc.record({ name, intention: text(30), internalOnly: fc.boolean() }), { maxLength: 3 }),
  })
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, '\t')));

const oneFile = (filePath: string, made: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.constant([]),
    made.map((each) => [[filePath, Buffer.from(each)] as const]),
  );

function descriptorOf(catalogue: Catalogue): fc.Arbitrary<Record<string, unknown>> {
  const idsOf = (set: string) => (catalogue.sets.get(set) ?? []).map((each) => each.id);
  const translation = members([
    fc.record({ moduleName: name }),
    member('shortName', text(20)),
    member('description', text(200)),
    member('shortDescription', text(50)),
    member('websiteUrl', fc.constantFrom('https://vendor.example/ä?q=1#x', 'http://vendor.example')),
    member('websiteName', text(20)),
    member('supportContact', fc.constant('support@vendor.example')),
    member('dataAreaReasons', fc.dictionary(fc.constantFrom(...idsOf('dataAreas')), text(50))),
    member('releaseNotes', text(200)),
  ]);
  const translations = fc
    .tuple(
      translation,
      fc.dictionary(
        fc.constantFrom(
          ...idsOf('languages')
            .filter((each) => each !== catalogue.englishId)
            .slice(0, 6),
        ),
        translation,
      ),
    )
    .map(([english, others]) => ({
      translations: [...Object.entries(others), [catalogue.englishId, english] as const].map(
        ([languageId, each]) => ({ languageId, ...each }),
      ),
    }));
  const option = members([
    fc.record({ paymentCycleId: id, currencyId: id, price }),
    member('regionId', id),
    member('trialLength', fc.nat({ max: 2 ** 31 - 1 })),
  ]);
  const variables = fc.uniqueArray(fc.record({ appEnvironmentId: id, key: name, value: text(100) }), {
    selector: ({ appEnvironmentId, key }) => `${appEnvironmentId.toLowerCase()} ${key}`,
    maxLength: 4,
  });
  return members([
    fc.constant({ schema: '1.0' }),
    translations,
    ...['hostingTypeId', 'typeId', 'parentId', 'categoryId', 'federationTypeId'].map((each) =>
      member(each, id),
    ),
    ...['vendorInternalCodeVersion', 'component', 'entryFileUrl', 'offlineReason'].map((each) =>
      member(each, text(60)),
    ),
    ...['paymentOptionIds', 'cropIds', 'environmentIds', 'requirementIds', 'dependencies'].map((each) =>
      member(each, ids),
    ),
    member('dataAreaIds', fc.subarray(idsOf('dataAreas'))),
    member(
      'scope',
      fc.tuple(name, fc.uuid()).map((each) => each.join(' ')),
    ),
    member('offlineCapability', fc.boolean()),
    member('deploymentType', fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    member('moduleVersion', fc.constantFrom(0.1, 2, 17.25)),
    member('subscriptionOptions', fc.array(option, { maxLength: 4 })),
    member('environmentVariables', variables),
  ]);
}

/** Modules of every kind that the rules allow, in small. */
export function generatedModule(catalogue: Catalogue): fc.Arbitrary<GeneratedModule> {
  return fc
    .tuple(
      descriptorOf(catalogue),
      fc.oneof(fc.constant([]), artifact),
      fc.tuple(
        documents('ModuleToS'),
        documents('ModulePrivacy'),
        images('ModuleImage'),
        images('ModuleLogo'),
      ),
      oneFile('AlertRuleDefinitionFile/rules ü.yaml', alertRules),
      oneFile('ModuleSpecificRolesEntitiesDefinition/roles.json', roles),
    )
    .map(([descriptor, built, [terms, privacy, ...pictures], rules, entities]) => {
      const texts = [...terms, ...privacy];
      const shown = pictures.flat();
      const files = [
        ...built,
        ...texts.map(({ file }) => [file, Buffer.from(`text of ${file}`)] as const),
        ...shown.map(({ file }) => [file, PIXEL] as const),
        ...rules,
        ...entities,
      ];
      return { descriptor: { ...descriptor, moduleFiles: [...shown, ...texts] }, files: new Map(files) };
    });
}

/** The package of a generated module. */
export function generatedPackage({ descriptor, files }: GeneratedModule): Buffer {
  return buildZip([
    { path: 'moduleSchema.json', content: JSON.stringify(descriptor) },
    ...[...files].map(([each, bytes]) => ({ path: each, content: bytes })),
  ]);
}
