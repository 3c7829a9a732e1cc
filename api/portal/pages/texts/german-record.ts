import type { englishRecord } from './english-record.ts';

/** The texts about the public record of a revision, in German. */
export const germanRecord: typeof englishRecord = {
  title: 'Herkunft',
  lead: 'Das hat der Dienst festgehalten, als er das Modul importiert hat.',
  imported: 'Importiert',
  source: 'Importiert von',
  atCommit: (repository, commit) => `${repository}, Commit ${commit}`,
  unnamed: 'einem CI-Lauf, dem der Anbieter vertraut',
  member: (vendor) => `einem Mitglied von ${vendor}`,
  checks: 'Geprüft nach den Regeln',
  rule: (name, version) => `${name} (Version ${version})`,
  archive: 'SHA-256 des Pakets',
};
