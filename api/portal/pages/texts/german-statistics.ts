import type { englishStatistics } from './english-statistics.ts';

/** The texts of statistics, in German. */
export const germanStatistics: typeof englishStatistics = {
  lead: 'Wie Ihr Modul benutzt wird. Tage sind in UTC; der letzte ist heute.',
  installations: 'Installationen',
  activeKeys: 'Gültige Schlüssel',
  callsOf: (days) => `Aufrufe in ${days} Tagen`,
  alertsOf: (days) => `Warnungen in ${days} Tagen`,
  calls: 'Aufrufe',
  alerts: 'Warnungen',
  day: 'Tag',
  hour: 'Stunde',
  byRevision: 'Installationen je Revision',
  noInstallations: 'Noch niemand hat dieses Modul installiert.',
  highest: (value) => `höchstens ${value}`,
  asTable: 'Als Tabelle',
  lastDay: 'Die letzten 24 Stunden',
  imports: 'Importe',
  longestWait: 'Längste Wartezeit',
  rejections: 'Abgelehnt wegen',
  noRejections: 'Kein Import wurde abgelehnt.',
};
