import { expect, test } from 'vitest';
import { FileIssueError } from '../../../api/portal/pages/farmer/areas/area.ts';
import { readAreas } from '../../../api/portal/pages/farmer/areas/read-areas.ts';
import {
  dbfOf,
  featureOf,
  GAUSS_KRUEGER,
  geoJsonOf,
  kmlOf,
  kmlPolygon,
  shpOf,
  squareRing,
  UTM_32,
  WGS_84,
  zipOf,
} from '../../support/field-files.ts';
import { buildZip } from '../../support/zip-builder.ts';

type Content = string | Buffer;

/** Each entry as its name and its issue, or its type and its area in square metres. */
async function read(content: Content, name = 'file.x'): Promise<readonly string[]> {
  try {
    const areas = await readAreas(new File([new Uint8Array(Buffer.from(content))], name));
    return areas.map(({ name: given, geometry, areaM2, issue }) => {
      const found = issue === null ? `${geometry?.type ?? ''} ${Math.round(areaM2 ?? 0)}` : issueText(issue);
      return `${given ?? '-'}: ${found}`;
    });
  } catch (error) {
    if (!(error instanceof FileIssueError)) throw error;
    return [issueText(error)];
  }
}

function issueText({ kind, about }: { readonly kind: string; readonly about: string }): string {
  return about === '' ? kind : `${kind} ${about}`;
}

const BLANKS = Buffer.alloc(60_000_000, ' ');
const SIZE = 0.001;
const square = squareRing(10, 53, SIZE);
const hole = squareRing(10.0002, 53.0002, SIZE / 2).toReversed();
const other = squareRing(10.01, 53, SIZE);
const bowTie = [
  [10, 53],
  [10.001, 53.001],
  [10.001, 53],
  [10, 53.001],
  [10, 53],
];
const shapefile = (parts: Readonly<Record<string, Content>>, name = 'fields') =>
  zipOf(Object.fromEntries(Object.entries(parts).map(([ending, content]) => [`${name}.${ending}`, content])));

test.each<[string, Content, readonly string[]]>([
  ['GeoJSON', geoJsonOf([featureOf({ Name: 'Upper' }, square)]), ['Upper: Polygon 7441']],
  [
    'GeoJSON with a hole, heights and a blank name',
    geoJsonOf([
      featureOf(
        { name: ' ' },
        square.map((each) => [...each, 12.5]),
        hole,
      ),
      featureOf({}, other),
    ]),
    ['-: Polygon 5581', '-: Polygon 7441'],
  ],
  [
    'GeoJSON that names ETRS89 / UTM zone 32N',
    geoJsonOf([featureOf({ id: 7 }, squareRing(567_000, 5_872_000, 100))], {
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } },
    }),
    ['7: Polygon 9966'],
  ],
  [
    'GeoJSON as QGIS writes it',
    geoJsonOf([featureOf({ schlag: 'Am Bach' }, square)], {
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } },
    }),
    ['Am Bach: Polygon 7441'],
  ],
  ['KML with a hole', kmlOf([['Upper', kmlPolygon(square, hole)]]), ['Upper: Polygon 5581']],
  [
    'KML with a field of two parts',
    kmlOf([['Both', `<MultiGeometry>${kmlPolygon(square)}${kmlPolygon(other)}</MultiGeometry>`]]),
    ['Both: MultiPolygon 14882'],
  ],
  ['KMZ', zipOf({ 'doc.kml': kmlOf([['Upper', kmlPolygon(square)]]) }), ['Upper: Polygon 7441']],
  [
    'a shapefile',
    shapefile({ shp: shpOf([[square, hole], [other]]), dbf: dbfOf(['Upper', 'Lower']), prj: WGS_84 }),
    ['Upper: Polygon 5581', 'Lower: Polygon 7441'],
  ],
  [
    'a shapefile in metres, with heights and a field of two parts',
    shapefile({
      shp: shpOf([
        [squareRing(567_000, 5_872_000, 100), squareRing(568_000, 5_872_000, 100)].map((ring) =>
          ring.map((each) => [...each, 30]),
        ),
      ]),
      dbf: dbfOf(['Wide']),
      prj: UTM_32,
    }),
    ['Wide: MultiPolygon 19932'],
  ],
  [
    'a shapefile without .prj whose extent is in degrees, and without .dbf',
    shapefile({ shp: shpOf([[square], [other]]) }),
    ['-: Polygon 7441', '-: Polygon 7441'],
  ],
  [
    'a shapefile of an old program, with the code page of Windows',
    shapefile({ shp: shpOf([[square]]), dbf: dbfOf(['Mühlfeld'], 'latin1'), prj: WGS_84 }),
    ['Mühlfeld: Polygon 7441'],
  ],
  [
    'a ZIP with several files, of which macOS added one',
    zipOf({
      'a/One.SHP': shpOf([[square]]),
      'a/One.PRJ': WGS_84,
      'b/Two.geojson': geoJsonOf([featureOf({}, other)]),
      'b/Three.kml': kmlOf([['Three', kmlPolygon(squareRing(10.02, 53, SIZE))]]),
      '__MACOSX/a/._One.SHP': 'x',
      'readme.txt': 'x',
    }),
    ['One: Polygon 7441', 'Two: Polygon 7441', 'Three: Polygon 7441'],
  ],
])('%s is read', async (_title, content, expected) => {
  expect(await read(content)).toEqual(expected);
});

test.each<[string, Content, readonly string[]]>([
  ['a boundary that crosses itself', geoJsonOf([featureOf({ name: 'Bow' }, bowTie)]), ['Bow: crossingRings']],
  [
    'a hole outside',
    geoJsonOf([featureOf({ name: 'Hole' }, square, squareRing(11, 53, SIZE))]),
    ['Hole: crossingRings'],
  ],
  ['a ring that is open', geoJsonOf([featureOf({ name: 'Open' }, square.slice(0, 4))]), ['Open: openRing']],
  [
    'coordinates in metres',
    geoJsonOf([featureOf({ name: 'Far' }, squareRing(567_000, 5_872_000, 100))]),
    ['Far: outOfRange'],
  ],
  [
    'coordinates that are no numbers',
    geoJsonOf([featureOf({ name: 'Text' }, [['a', 'b']] as never)]),
    ['Text: malformed'],
  ],
  [
    'coordinates nested a thousand times',
    geoJsonOf([
      {
        ...featureOf({ name: 'Deep' }),
        geometry: JSON.parse(`{"type":"Polygon","coordinates":${'['.repeat(1000)}${']'.repeat(1000)}}`),
      },
    ]),
    ['Deep: malformed'],
  ],
  [
    'more than 10,000 points',
    geoJsonOf([
      featureOf(
        { name: 'Many' },
        Array.from({ length: 10_001 }, () => [10, 53]),
      ),
    ]),
    ['Many: tooManyPositions'],
  ],
  ['a point', kmlOf([['Pump', '<Point><coordinates>10,53</coordinates></Point>']]), ['Pump: noArea']],
  ['no geometry', geoJsonOf([{ type: 'Feature', properties: {}, geometry: null }]), ['file: noArea']],
  [
    'an area that is in the ZIP twice',
    zipOf({
      'a.geojson': geoJsonOf([featureOf({ name: 'Upper' }, square)]),
      'b.kml': kmlOf([['Copy', kmlPolygon(square)]]),
    }),
    ['Upper: Polygon 7441', 'Copy: duplicate Upper'],
  ],
  [
    'a shapefile in an old datum',
    shapefile({ shp: shpOf([[squareRing(3_567_000, 5_874_000, 100)]]), prj: GAUSS_KRUEGER }),
    ['fields.shp: coordinateSystem DHDN_3_Degree_Gauss_Zone_3'],
  ],
  [
    'a shapefile in metres without .prj',
    shapefile({ shp: shpOf([[squareRing(567_000, 5_872_000, 100)]]) }),
    ['fields.shp: noCoordinateSystem'],
  ],
  [
    'a .prj that is none',
    shapefile({ shp: shpOf([[square]]), prj: '__proto__' }),
    ['fields.shp: coordinateSystem .prj'],
  ],
  [
    'a shapefile that is cut off',
    shapefile({ shp: shpOf([[square]]).subarray(0, 60) }),
    ['fields.shp: damaged'],
  ],
  [
    'a table that promises more rows than it has',
    shapefile({ shp: shpOf([[square]]), dbf: dbfOf(['a', 'b']).subarray(0, 110), prj: WGS_84 }),
    ['fields.shp: damaged'],
  ],
  ['a file with a password', buildZip([{ path: 'a.kml', content: 'x', flags: 1 }]), ['a.kml: encrypted']],
  [
    'a file in a ZIP that declares ten bytes and unpacks to 60 MB',
    buildZip([{ path: 'a.geojson', content: BLANKS, local: { sizeBytes: 10 }, central: { sizeBytes: 10 } }]),
    ['a.geojson: damaged'],
  ],
  [
    'a ZIP in the ZIP',
    zipOf({ 'in.zip': zipOf({}), 'b.geojson': geoJsonOf([featureOf({}, square)]) }),
    ['in.zip: zipInZip', 'b: Polygon 7441'],
  ],
  [
    'a damaged file in a ZIP',
    zipOf({ 'a.geojson': '{', 'b.kml': '<kml' }),
    ['a.geojson: damaged', 'b.kml: damaged'],
  ],
])('%s is not accepted, and the rest of the file is', async (_title, content, expected) => {
  expect(await read(content)).toEqual(expected);
});

/** Entities that multiply a text. */
const LAUGHS = `<!DOCTYPE kml [<!ENTITY a "${'ha'.repeat(50)}"><!ENTITY b "${'&a;'.repeat(50)}">]><kml>&b;</kml>`;

test.each<[string, Content, string]>([
  ['text', 'no JSON', 'unknownFormat'],
  ['a lone .shp', shpOf([[square]]), 'shapefileAlone'],
  ['JSON that is cut off', '{"type":', 'damaged'],
  ['XML that is cut off', '<kml><Document>', 'damaged'],
  ['XML with entities that multiply', LAUGHS, 'damaged'],
  ['elements nested 100,000 times', `<kml><Placemark>${'<MultiGeometry>'.repeat(100_000)}`, 'damaged'],
  ['a ZIP that is cut off', zipOf({ 'a.kml': kmlOf([]) }).subarray(0, 40), 'damaged'],

  ['JSON of another kind', '{}', 'noAreas'],
  ['a ZIP without fields', zipOf({ 'readme.txt': 'x' }), 'noAreas'],
  ['a ZIP that unpacks to 60 MB', zipOf({ 'a.geojson': BLANKS }), 'unpacksTooLarge'],
  ['more than 10 MB', Buffer.alloc(10_000_001, ' '), 'tooLarge'],
  ['more than 2,000 areas', geoJsonOf(Array.from({ length: 2_001 }, () => featureOf({}, square))), 'tooMany'],
  [
    'a coordinate system that is not known',
    geoJsonOf([featureOf({}, square)], { crs: { type: 'name', properties: { name: 'EPSG:31467' } } }),
    'coordinateSystem EPSG:31467',
  ],
])('%s is refused as a whole', async (_title, content, expected) => {
  expect(await read(content)).toEqual([expected]);
});

test('an area without a name has that of its file, whether the file has an extension or not', async () => {
  const content = geoJsonOf([featureOf({}, square)]);
  expect(await read(content, 'Upper.geojson')).toEqual(['Upper: Polygon 7441']);
  expect(await read(content, 'Upper')).toEqual(['Upper: Polygon 7441']);
});

test('a name has at most 200 characters, of which none is cut in two', async () => {
  const content = geoJsonOf([featureOf({ name: '🌾'.repeat(201) }, square)]);
  expect(await read(content)).toEqual([`${'🌾'.repeat(200)}: Polygon 7441`]);
});
