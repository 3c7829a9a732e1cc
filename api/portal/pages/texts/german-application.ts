import type { englishApplication } from './english-application.ts';

/** The texts of the page that runs an installed application, in German. */
export const germanApplication: typeof englishApplication = {
  open: 'Öffnen',
  title: 'Anwendung',
  back: 'Zurück zum Marktplatz',
  lead: (revision) =>
    `Revision ${revision}. Die Anwendung läuft getrennt von diesem Portal und sieht Ihre Anmeldung nicht.`,
  noPage:
    'Diese Anwendung hat keine eigene Seite. Sie wird von der Seite eines Gastgebers geladen, etwa Ihrer Plattform für die Betriebsführung.',
};
