import type { english } from './english.ts';
import { germanApplication as application } from './german-application.ts';
import { germanFarmer as farmer } from './german-farmer.ts';
import { germanMarket } from './german-market.ts';
import { germanMembers as members } from './german-members.ts';
import { germanQuarantine as quarantine } from './german-quarantine.ts';
import { germanRecord as record } from './german-record.ts';
import { germanStatistics as statistics } from './german-statistics.ts';
import { germanVendor as vendor } from './german-vendor.ts';
import { germanWebhooks as webhooks } from './german-webhooks.ts';

/** The texts in German. */
export const german: typeof english = {
  common: {
    portal: 'Modulportal',
    skip: 'Zum Inhalt springen',
    signIn: 'Anmelden',
    signInLead:
      'Veröffentlichen Sie Module, installieren Sie sie auf Ihrem Hof, oder betreiben Sie den Dienst.',
    signOut: 'Abmelden',
    sessionEnded: 'Ihre Sitzung ist abgelaufen',
    sessionEndedLead:
      'Melden Sie sich in einem neuen Tab wieder an. Diese Seite bleibt, wie sie ist, und macht danach weiter.',
    signedIn: 'Sie sind angemeldet',
    signedInLead: 'Machen Sie in dem Tab weiter, aus dem Sie kamen. Diesen können Sie schließen.',
    organization: 'Organisation',
    language: 'Sprache',
    mainNavigation: 'Seiten',
    loading: 'Wird geladen …',
    more: 'Mehr anzeigen',
    close: 'Schließen',
    cancel: 'Abbrechen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    yes: 'ja',
    no: 'nein',
    never: 'nie',
    name: 'Name',
    status: 'Status',
    actions: 'Aktionen',
    notFound: 'Seite nicht gefunden.',
    toStart: 'Zur Startseite',
    noOrganization:
      'Ihr Konto gehört hier zu keiner Organisation. Bitten Sie Ihre Administration, Sie hinzuzufügen.',
    missingOrganization: (id) =>
      `Ihr Konto hat eine Rolle in der Organisation ${id}, die es hier nicht gibt. Bitten Sie den Betrieb, sie anzulegen.`,
    unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    readOnly: 'Sie sind Mitglied dieser Organisation. Änderungen nimmt die Administration vor.',
    tryAgain: 'Erneut versuchen',
    pages: {
      modules: 'Meine Module',
      imports: 'Importe',
      farms: 'Höfe',
      market: 'Module',
      rules: 'Warnregeln',
      alerts: 'Warnungen',
      members: 'Mitglieder',
      auditLog: 'Protokoll',
      operations: 'Betrieb',
      queues: 'Warteschlange',
    },
    importStatus: {
      queued: 'wartet',
      running: 'läuft',
      succeeded: 'erfolgreich',
      rejected: 'abgelehnt',
      failed: 'fehlgeschlagen',
      cancelled: 'abgebrochen',
    },
  },
  vendor,
  webhooks,
  application,
  members,
  sessions: {
    title: 'Wo Sie angemeldet sind',
    lead: 'Alle Browser, in denen Sie in diesem Portal angemeldet sind. Beenden Sie, was Sie nicht kennen.',
    where: 'Browser',
    signedInAt: 'Angemeldet',
    lastUsedAt: 'Zuletzt benutzt',
    current: 'dieser',
    device: (browser, system) =>
      system === null
        ? (browser ?? 'Unbekannter Browser')
        : `${browser ?? 'Unbekannter Browser'} unter ${system}`,
    end: 'Dort abmelden',
    endTitle: 'In diesem Browser abmelden?',
    endText: 'Die nächste Anfrage dort braucht eine neue Anmeldung. Was dort gespeichert wurde, bleibt.',
    endOthers: 'Überall sonst abmelden',
    endOthersTitle: 'In allen anderen Browsern abmelden?',
  },
  audit: {
    lead: 'Wer in Ihrer Organisation was geändert hat, das Neueste zuerst.',
    leadAll: 'Wer in allen Organisationen was geändert hat, das Neueste zuerst.',
    none: 'Es gibt noch keine Einträge.',
    at: 'Zeit',
    actor: 'Wer',
    action: 'Aktion',
    about: 'Betrifft',
    trace: 'Trace-ID',
    organization: 'Organisation',
    module: 'Modul',
    client: 'App',
    target: 'Ziel',
  },
  statistics,
  record,
  farmer: {
    ...farmer,
    market: germanMarket,
  },
  operator: {
    quarantine,
    usage: {
      title: 'Speicherplatz',
      organization: 'Organisation',
      stored: 'Gespeichert',
      modules: 'Module',
      revisions: 'Revisionen',
      lastDay: 'Importe in 24 Stunden',
      ofQuota: (share) => `${share} des Kontingents`,
      none: 'Es gibt noch keine Organisationen.',
    },
    lead: 'Importe aller Organisationen, und die Worker, die sie ausführen.',
    waiting: 'Wartende Importe',
    running: 'Laufende Importe',
    oldest: 'Längste Wartezeit',
    workers: 'Aktive Worker',
    seconds: (count) => `${count} s`,
    dashboard: 'Warteschlange öffnen',
    retry: 'Wiederholen',
    took: (seconds) => `dauerte ${seconds} s`,
    none: 'Es gibt noch keine Importe.',
    noneFailed: 'Es gibt keine fehlgeschlagenen Importe.',
    imports: 'Importe',
    failedOnly: 'Nur fehlgeschlagene Importe',
    dismiss: 'Abhaken',
    failed: {
      title: 'Fehlgeschlagene Importe',
      lead: 'Importe, die wegen eines internen Fehlers nicht beendet werden konnten. Beseitigen Sie die Ursache und wiederholen Sie sie. Haken Sie ab, was nichts mehr braucht.',
      organization: 'Organisation',
      all: 'Alle Organisationen',
      retryAll: 'Alle wiederholen',
      retryAllOf: (whose) =>
        `Alle fehlgeschlagenen Importe, deren Pakete noch gespeichert sind, werden wieder eingereiht. ${whose}.`,
    },
    facts: {
      importId: 'Import-ID',
      organization: 'Organisation',
      moduleId: 'Modul',
      step: 'Fehlgeschlagen bei',
      cause: 'Ursache',
      attempts: 'Fehlgeschlagene Versuche',
      firstAt: 'Erster Fehler',
      lastAt: 'Letzter Fehler',
      dismissedAt: 'Abgehakt',
    },
  },
};
