import type { PublisherRun } from '../../shared/db/access/publisher-tokens.ts';

/**
 * A trusted publisher as the actor of an import or of an entry in the audit log: issuer, repository and commit, such as
 * `trusted-publisher token.actions.githubusercontent.com/acme/soil@4f2a91c`.
 */
export function publisherActor({ issuer, repository, subject, commit }: PublisherRun): string {
  const source = repository ?? subject;
  const from = source === null ? '' : `/${source}`;
  return `trusted-publisher ${new URL(issuer).host}${from}${commit === null ? '' : `@${commit}`}`;
}
