import type { SuspensionColumns } from '../../shared/db/access/suspension-state.ts';
import { timestamp } from '../http/answer.ts';
import { boolean, dateTime, namedObject, text } from '../http/schema.ts';

/** Why and how an operator has suspended an organization. */
export const suspension = namedObject('Suspension', 'An operator has suspended an organization.', {
  at: dateTime('When the suspension started.'),
  reason: text('The reason, for members of the organization.'),
  farmersKeepAccess: boolean(
    'Whether farmers that have its modules installed keep them; otherwise these are stopped as in a quarantine.',
  ),
});

/** The suspension of a row; null: there is none. */
export function suspensionOf({ suspendedAt, suspensionReason, farmersKeepAccess }: SuspensionColumns) {
  return (
    suspendedAt && {
      at: timestamp(suspendedAt),
      reason: suspensionReason ?? '',
      farmersKeepAccess: farmersKeepAccess === true,
    }
  );
}
