import type { englishQuarantine } from './english-quarantine.ts';

/** The texts of modules in quarantine, in German. */
export const germanQuarantine: typeof englishQuarantine = {
  title: 'Module in Quarantäne',
  lead: 'Niemand bekommt ihre Dateien und Anwendungen, und ihre API-Schlüssel gelten nicht. Anbieter und Höfe sehen den Grund.',
  none: 'Kein Modul ist in Quarantäne.',
  start: 'Modul unter Quarantäne stellen',
  startAction: 'Unter Quarantäne stellen',
  startText:
    'Innerhalb einer Sekunde bekommt niemand mehr seine Dateien und Anwendungen, und seine API-Schlüssel gelten nicht.',
  module: 'Modul',
  moduleId: 'ID des Moduls',
  moduleIdHint: 'Sie steht in der Adresse seiner Seite und bei seinen Importen.',
  vendor: 'Anbieter',
  reason: 'Grund',
  reasonHint: 'Der Anbieter und seine Höfe lesen ihn.',
  since: 'Seit',
  end: 'Aufheben',
  endTitle: 'Die Quarantäne aufheben?',
  endText: 'Höfe bekommen das Modul innerhalb einer Sekunde wieder, und seine API-Schlüssel gelten wieder.',
};
