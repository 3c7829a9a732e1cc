/** What an issuer's token says of the run that has it; null where it does not. */
export interface PublisherRun {
  readonly issuer: string;
  readonly subject: string | null;
  readonly repository: string | null;
  readonly commit: string | null;
  readonly run: string | null;
}

/** The run that uploaded a package, as it was recorded; an issuer of null: the publisher was removed at the same time. */
export type RecordedRun = { readonly [Name in keyof PublisherRun]: string | null };
