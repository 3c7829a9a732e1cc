import { REVISION_PARTS } from '../../shared/db/modules/changed-parts.ts';
import { guid, integer, listOf, namedObject, oneOf, orNull, text } from './schema.ts';

/** How what a farmer is offered differs from what was known before. */
export const revisionChanges = namedObject('RevisionChanges', 'How a revision differs from another one.', {
  sinceRevision: integer(
    'The other revision. In an offer: the one that the farmer decided about, else the one before. In a problem: the one ' +
      'that the farmer saw, as If-Match names it; it is the same where only the documents for the country differ.',
    1,
  ),
  sinceVendorVersion: orNull(
    text("The vendor's version of the other revision; null if it has none, or the revision is not kept."),
  ),
  parts: listOf(
    oneOf(REVISION_PARTS, 'A part of the module.'),
    'The other differences, beside the application itself.',
  ),
  addedDataAreaIds: listOf(
    guid('An ID of the catalogue.'),
    'The additional data areas that it requests; empty if the other revision is not kept.',
  ),
  removedDataAreaIds: listOf(
    guid('An ID of the catalogue.'),
    'The data areas that it requests no longer; empty if the other revision is not kept.',
  ),
});
