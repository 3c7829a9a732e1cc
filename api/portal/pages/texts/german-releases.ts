import type { englishReleases } from './english-releases.ts';

/** The texts of a module's releases, in German. */
export const germanReleases: typeof englishReleases = {
  lead: 'Welche Revision die Höfe sehen. Eine Freigabe oder Rücknahme erreicht alle innerhalb einer Sekunde.',
  picture: 'Wer welche Revision sieht',
  share: (revision, who) => `Revision ${revision}: ${who}`,
  percent: (share) => `${share} % aller Organisationen`,
  named: (count) => (count === 1 ? '1 genannte Organisation' : `${count} genannte Organisationen`),
  everyone: 'alle',
  everyoneElse: 'alle anderen',
  nobody: 'niemand',
  nothing: 'Es ist keine Revision freigegeben: Höfe finden das Modul nicht.',
  seenBy: 'Sichtbar für',
  states: {
    staged: 'bereitgestellt',
    preview: 'Vorschau',
    ring: 'Ring',
    current: 'aktuell',
    released: 'früher freigegeben',
  },
  manual: 'Jeden Import nur bereitstellen: Niemand sieht ihn, bis Sie ihn freigeben',
  release: 'Freigeben',
  releaseTitle: (revision) => `Revision ${revision} freigeben`,
  audience: 'Wer sie bekommt',
  audiences: {
    preview: 'Eine Vorschau, nur für genannte Organisationen',
    ring: 'Ein Ring, vor allen anderen',
    everyone: 'Alle',
  },
  everyoneText: (current) =>
    current === null
      ? 'Alle Höfe finden das Modul auf dem Markt.'
      : `Alle Höfe sehen sie anstelle von Revision ${current}.`,
  share100: 'Anteil aller Organisationen, in Prozent',
  shareHint: 'Ein größerer Anteil enthält den kleineren. Leer: nur die genannten Organisationen.',
  organizations: 'IDs von Organisationen',
  organizationsHint: 'Eine je Zeile. Ein Hof findet seine in der Adresse des Portals.',
  previewHint: 'Eine je Zeile; sie ersetzen die Liste. Ein Hof findet seine ID in der Adresse des Portals.',
  rollBack: 'Zurücknehmen',
  rollBackTitle: (revision) => `Zu Revision ${revision} zurückkehren?`,
  rollBackText: (revision) =>
    `Alle sehen innerhalb einer Sekunde Revision ${revision}. Warnregeln, die nicht zu ihr passen, veralten.`,
  endRing: 'Ring beenden',
  offer: 'Neue Installationen',
  offered: 'Höfe können das Modul installieren.',
  withdraw: 'Zurückziehen',
  withdrawTitle: 'Das Modul zurückziehen?',
  withdrawText: 'Es kann nicht mehr installiert werden. Bestehende Installationen laufen weiter.',
  reason: 'Grund',
  reasonHint: 'Höfe lesen ihn.',
  offerAgain: 'Wieder anbieten',
  deprecate: 'Abraten',
  deprecateTitle: 'Von diesem Modul abraten',
  message: 'Was Höfe tun sollten',
  successor: 'Nachfolger',
  noSuccessor: 'Keiner',
  endDeprecation: 'Nicht mehr abraten',
  withdrawn: (reason) => `Zurückgezogen: Es kann nicht installiert werden. ${reason}`,
  deprecated: (message) => `Abgeraten: ${message}`,
  quarantined: (reason) =>
    `Ein Betreiber hat dieses Modul angehalten: Niemand bekommt seine Dateien und Anwendungen, und seine Schlüssel gelten nicht. ${reason}`,
};
