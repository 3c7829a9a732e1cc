import { compileSchema } from '../schema/validate-schema.ts';

const text = { type: 'string' } as const;
const nullableText = { type: ['string', 'null'] } as const;
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

const recordSchema = {
  type: 'object',
  required: [
    ...['moduleId', 'revision', 'vendorName', 'archiveSha256', 'filesSha256', 'descriptorSha256'],
    ...['importer', 'checks', 'importedAt', 'files'],
  ],
  properties: {
    moduleId: text,
    revision: { type: 'integer' },
    vendorName: text,
    archiveSha256: sha256,
    filesSha256: sha256,
    descriptorSha256: sha256,
    importer: {
      type: 'object',
      required: ['kind', 'repository', 'commit'],
      properties: { kind: text, repository: nullableText, commit: nullableText },
    },
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'version'],
        properties: { name: text, version: { type: 'integer' } },
      },
    },
    importedAt: text,
    files: {
      type: ['array', 'null'],
      items: { type: 'object', required: ['path', 'sha256'], properties: { path: text, sha256 } },
    },
  },
} as const;

/** What a package is compared with: the parts of a public record that this needs. */
export interface PublicationRecord {
  readonly moduleId: string;
  readonly revision: number;
  readonly vendorName: string;
  /** Lower-case hex, as the others. */
  readonly archiveSha256: string;
  readonly filesSha256: string;
  readonly descriptorSha256: string;
  readonly importer: {
    readonly kind: string;
    readonly repository: string | null;
    readonly commit: string | null;
  };
  readonly checks: readonly { readonly name: string; readonly version: number }[];
  readonly importedAt: string;
  /** Null: the record names no files. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[] | null;
}

const fits: (value: unknown) => value is PublicationRecord = compileSchema(recordSchema);

/** A record from a file or a server; null if it is none. */
export function readPublicationRecord(value: unknown): PublicationRecord | null {
  return fits(value) ? value : null;
}
