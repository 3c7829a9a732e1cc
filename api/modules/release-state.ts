import type { QuarantinedModule } from '../../shared/db/modules/quarantine-state.ts';
import { Type } from 'typebox';
import type { ModuleReleases } from '../../shared/db/modules/releases.ts';
import { answerOf, timestamp } from '../http/answer.ts';
import { dateTime, guid, integer, listOf, namedObject, oneOf, orNull, text } from '../http/schema.ts';

/** When an import releases its revision. */
export const RELEASE_POLICIES = ['immediate', 'manual'] as const;

/** Where a revision is between its import and everyone. */
export const RELEASE_STATES = ['staged', 'preview', 'ring', 'current', 'released'] as const;

const organizationIds = listOf(guid('An organization.'), 'The organizations.');

const ring = namedObject('ReleaseRing', 'The organizations that see a revision before everyone.', {
  revision: integer('The number of the revision.', 1),
  organizationIds,
  percent: orNull(integer('The share of all organizations, in percent; null: only those named.', 1)),
});

const preview = namedObject('RevisionPreview', 'The previewers of a staged revision.', {
  revision: integer('The number of the revision.', 1),
  organizationIds,
});

/** When a module was withdrawn from new installations. */
export const withdrawal = namedObject('ModuleWithdrawal', 'A module is not offered for new installations.', {
  at: dateTime('When the vendor withdrew the module.'),
  reason: text('Why there are no new installations, for people.'),
});

/** The vendor's advice against a module. */
export const deprecation = namedObject('ModuleDeprecation', 'A module should be replaced.', {
  at: dateTime('When the vendor deprecated the module.'),
  message: text("The vendor's advice."),
  successorModuleId: orNull(guid('The module that replaces it; null if there is none.')),
});

/** Why an operator has stopped a module. */
export const quarantine = namedObject('ModuleQuarantine', 'An operator has stopped a module.', {
  at: dateTime('When the quarantine started.'),
  reason: text('The reason, for people.'),
});

/** The revision of a module that each farmer sees. */
export const moduleReleases = namedObject('ModuleReleases', 'The releases of a module.', {
  moduleId: guid('The ID of the module.'),
  releasePolicy: oneOf(
    RELEASE_POLICIES,
    'Whether an import releases its revision: `immediate` to everyone, `manual` stages it.',
  ),
  currentRevision: orNull(integer('The number of the revision released to everyone; null: none yet.', 1)),
  newestRevision: integer('The last assigned number.', 1),
  ring: orNull(ring, 'The ring that sees another revision before everyone; null: none.'),
  previews: listOf(preview, 'The staged revisions that have previewers, newest first.'),
  withdrawal: orNull(withdrawal, 'The withdrawal; null: the module is offered.'),
  deprecation: orNull(deprecation, "The vendor's advice against the module; null: none."),
  quarantine: orNull(quarantine, 'Why an operator has stopped the module; null: it is not in quarantine.'),
});

/** The releases of a module with the names of answers. */
export function releasesAnswer({ module, previews }: ModuleReleases) {
  const { ringRevision: revision, ringOrganizationIds, ringPercent: percent } = module;
  return answerOf(module, {
    moduleId: module.id,
    ring: revision === null ? null : { revision, organizationIds: ringOrganizationIds, percent },
    previews,
    ...noticesOf(module),
  });
}

/** What vendor and operators say about a module, from its row. */
export function noticesOf(row: QuarantinedModule) {
  const { withdrawnAt, deprecatedAt, quarantinedAt, successorModuleId } = row;
  return {
    withdrawal: withdrawnAt && { at: timestamp(withdrawnAt), reason: row.withdrawnReason ?? '' },
    deprecation: deprecatedAt && {
      at: timestamp(deprecatedAt),
      message: row.deprecationMessage ?? '',
      successorModuleId,
    },
    quarantine: quarantinedAt && { at: timestamp(quarantinedAt), reason: row.quarantineReason ?? '' },
  };
}

/** Where a revision is. */
export function releaseStateOf(
  { module, previews }: ModuleReleases,
  { revision, releasedAt }: { readonly revision: number; readonly releasedAt: Date | null },
): (typeof RELEASE_STATES)[number] {
  if (module.currentRevision === revision) return 'current';
  if (module.ringRevision === revision) return 'ring';
  if (releasedAt !== null) return 'released';
  return previews.some((each) => each.revision === revision) ? 'preview' : 'staged';
}

/** A reason for people, in a request. */
export function reasonText(description: string) {
  return Type.String({ maxLength: 2_000, pattern: '\\S', description });
}
