import type { englishFarms } from './english-farms.ts';

/** The texts of a farmer's farms and of the files that they bring, in German. */
export const germanFarms: typeof englishFarms = {
  lead: 'Ihre Betriebe, wie installierte Module mit Zugriff sie sehen.',
  none: 'Es gibt noch keine Betriebe.',
  firstSteps: 'Erste Schritte',
  steps: {
    fields: 'Felder anlegen',
    module: 'Ein Modul installieren',
    rule: 'Eine Regel anlegen, um gewarnt zu werden',
  },
  stepDone: 'erledigt',
  sampleName: 'Musterhof',
  sampleLead: 'Ein erfundener Betrieb mit drei Feldern.',
  sampleTry: 'Mit Beispieldaten ausprobieren',
  sampleTitle: 'Einen Musterhof anlegen?',
  sampleText:
    'Er hat drei Felder. Auch Module, die Ihre Betriebe lesen dürfen, sehen ihn. Löschen Sie ihn weiter unten, bevor Sie Ihre eigenen Betriebe anlegen.',
  sampleAdd: 'Musterhof anlegen',
  noGeometry: 'Dieser Betrieb hat keine Geometrie.',
  outline: (name) => `Umriss von ${name}`,
  fields: (count) => (count === 1 ? '1 Feld' : `${count} Felder`),
  stations: (count) => (count === 1 ? '1 Bewässerungsstation' : `${count} Bewässerungsstationen`),
  field: 'Feld',
  known: 'Feld, das bleibt, wie es ist',
  refused: 'Nicht übernommen',
  block: 'Block',
  station: 'Bewässerungsstation',
  boundary: 'Betriebsgrenze',
  add: 'Betrieb anlegen',
  downloadAll: 'Alles herunterladen',
  erase: 'Alle Betriebsdaten löschen',
  eraseLead:
    'Betriebe, Felder, Blöcke und Bewässerungsstationen. Regeln, Warnungen und Zustimmungen bleiben.',
  eraseTitle: 'Alle Betriebsdaten löschen?',
  eraseText:
    'Alle Betriebe werden mit allem gelöscht, was dazugehört, und kein Modul kann sie mehr lesen. Das lässt sich nicht rückgängig machen: Laden Sie vorher alles herunter, falls Sie es noch brauchen.',
  typeName: (name) => `Geben Sie zur Bestätigung „${name}“ ein`,
  notErased:
    'Die Betriebe sind nicht mehr so, wie die Seite sie gezeigt hat. Sie zeigt jetzt den aktuellen Stand.',
  reads: {
    title: 'Von Modulen gelesen',
    lead: 'Welche Module Ihre Daten in den letzten 90 Tagen gelesen haben. Die Tage gelten in UTC.',
    none: 'In den letzten 90 Tagen hat kein Modul Ihre Daten gelesen.',
    what: 'Was gelesen wurde',
    kinds: {
      structures: 'Betriebe und Felder',
      alertRules: 'Regeln',
      changes: 'Änderungen',
      installations: 'der Zugriff, den Sie gewährt haben',
    },
    sentence: (module, what) => `${module} hat gelesen: ${what}`,
  },
  editTitle: (name) => `Feld bearbeiten: ${name}`,
  fieldName: 'Name des Felds',
  redrawMap: 'Karte des Felds mit seinen Ecken',
  redrawHint:
    'Ziehen Sie eine Ecke, um sie zu verschieben, oder einen kleinen Punkt, um eine Ecke einzufügen.',
  redrawByFile: 'Diese Grenze lässt sich hier nicht ändern. Laden Sie stattdessen eine Datei hoch.',
  corners: 'Ecken: Breite und Länge',
  corner: (number) => `Ecke ${number}`,
  latitude: (corner) => `${corner}: Breite`,
  longitude: (corner) => `${corner}: Länge`,
  addCorner: 'Danach einfügen',
  changedMeanwhile:
    'Inzwischen hat jemand die Betriebe geändert. Beim Speichern wird ersetzt, was an diesem Feld geändert wurde.',
  fieldGone: 'Inzwischen hat jemand dieses Feld gelöscht, deshalb wurde nichts gespeichert.',
  addTitle: 'Einen Betrieb anlegen',
  farmName: 'Name des Betriebs',
  optionalFileHint: 'Freiwillig. GeoJSON, KML, KMZ oder ein Shapefile als ZIP, bis 10 MB.',
  upload: 'Felder hochladen',
  uploadTitle: (name) => `Felder hochladen: ${name}`,
  uploadHint:
    'GeoJSON, KML, KMZ oder ein ZIP mit Shapefiles oder mehreren dieser Dateien, bis 10 MB. Noch wird nichts gespeichert.',
  file: 'Datei mit Flächen',
  reading: 'Die Datei wird gelesen …',
  use: 'Was die Flächen sind',
  uses: { fields: 'Felder des Betriebs', boundary: 'Die Grenze des Betriebs' },
  saveFields: (count) => {
    if (count === 0) return 'Felder speichern';
    return count === 1 ? '1 Feld speichern' : `${count} Felder speichern`;
  },
  outlineOfFile: 'Flächen der Datei',
  entries: 'Was die Datei enthält',
  accepted: (accepted, all) => {
    if (accepted === all)
      return all === 1 ? '1 Fläche wird übernommen.' : `Alle ${all} Flächen werden übernommen.`;
    return `${accepted} von ${all} Einträgen ${accepted === 1 ? 'wird' : 'werden'} übernommen, die anderen nicht.`;
  },
  area: 'Fläche',
  result: 'Ergebnis',
  newField: 'neues Feld',
  knownField: 'erhält diese Grenze',
  partOfBoundary: 'Teil der Grenze',
  fieldNumber: (number) => `Feld ${number}`,
  areaIssues: {
    unknownFormat: () => 'Die Datei ist weder GeoJSON, KML oder KMZ noch ein ZIP mit einem Shapefile.',
    damaged: () => 'Die Datei ist beschädigt. Exportieren Sie sie noch einmal.',
    encrypted: () => 'Die Datei hat ein Passwort. Exportieren Sie sie ohne.',
    noAreas: () => 'Die Datei enthält keine Flächen.',
    tooLarge: () => 'Die Datei ist größer als 10 MB. Exportieren Sie weniger Flächen auf einmal.',
    unpacksTooLarge: () =>
      'Das ZIP ist entpackt größer als 50 MB. Exportieren Sie weniger Flächen auf einmal.',
    tooMany: () => 'Die Datei hat mehr als 2.000 Einträge. Exportieren Sie weniger Flächen auf einmal.',
    zipInZip: () => 'Ein ZIP im ZIP wird nicht gelesen. Entpacken Sie es, und wählen Sie es einzeln aus.',
    shapefileAlone: () => 'Ein Shapefile besteht aus mehreren Dateien. Wählen Sie ein ZIP mit allen.',
    noCoordinateSystem: () =>
      'Die .prj-Datei mit dem Koordinatensystem fehlt, und die Koordinaten sind keine Grad.',
    coordinateSystem: (name) =>
      `Das Koordinatensystem ${name} kann nicht umgerechnet werden. Exportieren Sie in Länge und Breite (WGS 84).`,
    noArea: () => 'keine Fläche',
    malformed: () => 'Koordinaten nicht lesbar',
    outOfRange: () => 'Koordinaten sind nicht Länge und Breite',
    tooManyPositions: () => 'mehr als 10.000 Punkte',
    openRing: () => 'die Grenze ist nicht geschlossen',
    crossingRings: () => 'die Grenze kreuzt sich selbst, oder ein Loch liegt nicht in ihr',
    duplicate: (name) => `dieselbe Fläche wie ${name === '' ? 'ein früherer Eintrag' : name}`,
  },
};
