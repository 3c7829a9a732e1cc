import type { AreaIssue } from '../farmer/areas/area.ts';

/** The texts of a farmer's farms and of the files that they bring, in English. */
export const englishFarms = {
  lead: 'Your farms, as installed modules with access see them.',
  none: 'There are no farms yet.',
  firstSteps: 'First steps',
  steps: {
    fields: 'Bring in your fields',
    module: 'Install a module',
    rule: 'Create a rule, to be warned',
  },
  stepDone: 'done',
  sampleName: 'Sample farm',
  sampleLead: 'An invented farm with three fields.',
  sampleTry: 'Try it with sample data',
  sampleTitle: 'Add a sample farm?',
  sampleText:
    'It has three fields. Modules that may read your farms see it too. Erase it below before you bring in your own farms.',
  sampleAdd: 'Add sample farm',
  noGeometry: 'This farm has no geometry.',
  outline: (name: string) => `Outline of ${name}`,
  fields: (count: number) => (count === 1 ? '1 field' : `${count} fields`),
  stations: (count: number) => (count === 1 ? '1 irrigation station' : `${count} irrigation stations`),
  field: 'Field',
  known: 'Field that stays as it is',
  refused: 'Not accepted',
  block: 'Block',
  station: 'Irrigation station',
  boundary: 'Farm boundary',
  add: 'Add farm',
  downloadAll: 'Download everything',
  erase: 'Erase all farm data',
  eraseLead: 'Farms, fields, blocks and irrigation stations. Rules, alerts and consents stay.',
  eraseTitle: 'Erase all farm data?',
  eraseText:
    'All farms are deleted with everything in them, and modules can no longer read them. This cannot be undone: download everything first if you may need it.',
  typeName: (name: string) => `To confirm, type “${name}”`,
  notErased:
    'Somebody changed the farms meanwhile, so nothing was erased. The page now shows the current farms.',
  editTitle: (name: string) => `Edit field: ${name}`,
  fieldName: 'Name of the field',
  redrawMap: 'Map of the field with its corners',
  redrawHint: 'Drag a corner to move it, or a small dot to add one.',
  redrawByFile: 'This boundary cannot be redrawn here. Upload a file with it instead.',
  corners: 'Corners: latitude and longitude',
  corner: (number: number) => `Corner ${number}`,
  latitude: (corner: string) => `${corner}: latitude`,
  longitude: (corner: string) => `${corner}: longitude`,
  addCorner: 'Add after',
  changedMeanwhile: 'Somebody changed the farms meanwhile. Saving replaces what they did to this field.',
  fieldGone: 'Somebody deleted this field meanwhile, so nothing was saved.',
  addTitle: 'Add a farm',
  farmName: 'Name of the farm',
  optionalFileHint: 'Optional. GeoJSON, KML, KMZ, or a shapefile as a ZIP, up to 10 MB.',
  upload: 'Upload fields',
  uploadTitle: (name: string) => `Upload fields: ${name}`,
  uploadHint:
    'GeoJSON, KML, KMZ, or a ZIP with shapefiles or several of these, up to 10 MB. Nothing is saved yet.',
  file: 'File with areas',
  reading: 'Reading the file …',
  use: 'What the areas are',
  uses: { fields: 'Fields of the farm', boundary: 'The boundary of the farm' },
  saveFields: (count: number) => {
    if (count === 0) return 'Save fields';
    return count === 1 ? 'Save 1 field' : `Save ${count} fields`;
  },
  outlineOfFile: 'Areas of the file',
  entries: 'What the file contains',
  accepted: (accepted: number, all: number) =>
    accepted === all
      ? `${all === 1 ? '1 area is' : `All ${all} areas are`} accepted.`
      : `${accepted} of ${all} entries ${accepted === 1 ? 'is' : 'are'} accepted. The others are left out.`,
  area: 'Area',
  result: 'Result',
  newField: 'new field',
  knownField: 'gets this boundary',
  partOfBoundary: 'part of the boundary',
  fieldNumber: (number: number) => `Field ${number}`,
  /** Why a file, or an entry of it, is not accepted. */
  areaIssues: {
    unknownFormat: () => 'The file is not GeoJSON, KML, KMZ or a ZIP with a shapefile.',
    damaged: () => 'The file is damaged. Export it again.',
    encrypted: () => 'The file has a password. Export it without one.',
    noAreas: () => 'The file has no areas.',
    tooLarge: () => 'The file is larger than 10 MB. Export fewer areas at once.',
    unpacksTooLarge: () => 'The ZIP unpacks to more than 50 MB. Export fewer areas at once.',
    tooMany: () => 'The file has more than 2,000 entries. Export fewer areas at once.',
    zipInZip: () => 'A ZIP inside the ZIP is not read. Unpack it, and choose it by itself.',
    shapefileAlone: () => 'A shapefile consists of several files. Choose a ZIP with all of them.',
    noCoordinateSystem: () =>
      'The .prj file with the coordinate system is missing, and the coordinates are not degrees.',
    coordinateSystem: (name: string) =>
      `The coordinate system ${name} cannot be converted. Export in longitude and latitude (WGS 84).`,
    noArea: () => 'not an area',
    malformed: () => 'coordinates cannot be read',
    outOfRange: () => 'coordinates are not longitude and latitude',
    tooManyPositions: () => 'more than 10,000 points',
    openRing: () => 'the boundary is not closed',
    crossingRings: () => 'the boundary crosses itself, or a hole is not inside it',
    duplicate: (name: string) => `the same area as ${name === '' ? 'an earlier entry' : name}`,
  } satisfies Readonly<Record<AreaIssue['kind'], (about: string) => string>>,
};
