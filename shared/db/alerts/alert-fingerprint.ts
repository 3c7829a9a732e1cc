import { createHash } from 'node:crypto';

export type AlertTargetType = 'farm' | 'field' | 'block' | 'irrigationStation';

/** The subject of an alert. */
export interface AlertTarget {
  readonly type: AlertTargetType;
  readonly id: string;
}

/**
 * SHA-256 of rule, target and labels, the labels sorted by name: alerts that are equal in these are one
 * alert that is reported again. IDs are in lower case.
 */
export function alertFingerprint(
  ruleId: string,
  { type, id }: AlertTarget,
  labels: Readonly<Record<string, string>>,
): Buffer {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([ruleId, type, id, sorted]))
    .digest();
}
