/** The texts about the public record of a revision, in English. */
export const englishRecord = {
  title: 'Origin',
  lead: 'This is what the service recorded when it imported the module.',
  imported: 'Imported',
  source: 'Imported from',
  atCommit: (repository: string, commit: string) => `${repository} at ${commit}`,
  unnamed: 'a CI run that the vendor trusts',
  member: (vendor: string) => `a member of ${vendor}`,
  checks: 'Checked by the rules',
  rule: (name: string, version: number) => `${name} (version ${version})`,
  archive: 'SHA-256 of the package',
};
