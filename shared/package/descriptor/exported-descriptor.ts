import type { Descriptor } from './descriptor.ts';
import { normalDescriptor } from './normal-descriptor.ts';

/**
 * Up to this size the file is formatted for people. This is not a setting: the same revision has the same bytes
 * everywhere. A longer one is written without blanks and nulls, so that it stays within a package's limit.
 */
const MAX_LAID_OUT_BYTES = 1024 * 1024;

/** For whom a module is exported. */
export interface ExportForm {
  /** The owner. */
  readonly organizationId: string;
  /** For another organization of the deployment: `moduleId` and `scope` are null. */
  readonly asNew: boolean;
}

/** `moduleSchema.json` of an export, as text; the same descriptor produces the same text on every machine. */
export function exportedDescriptor(descriptor: Descriptor, { organizationId, asNew }: ExportForm): string {
  // Put in order again: the database keeps no order of members.
  const { schema, moduleId, ...rest } = normalDescriptor(descriptor);
  const exported = {
    schema,
    moduleId: asNew ? null : moduleId,
    organizationId,
    ...rest,
    scope: asNew ? null : rest.scope,
  };
  const text = `${JSON.stringify(exported, null, 2)}\n`;
  return Buffer.byteLength(text) <= MAX_LAID_OUT_BYTES ? text : JSON.stringify(exported, withoutNull);
}

/** Absent and null are one. */
function withoutNull(_name: string, value: unknown): unknown {
  return value ?? undefined;
}
