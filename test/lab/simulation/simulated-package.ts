import { createHash } from 'node:crypto';
import { normalDescriptor } from '../../../shared/package/descriptor/normal-descriptor.ts';
import type { PackageReport } from '../../../shared/package/package-report.ts';
import { problem } from '../../../shared/package/problem.ts';

/** The content of a package, as far as the protocol is concerned. */
export interface SimulatedPackage {
  /** Null: a new module. */
  readonly moduleId: string | null;
  readonly scope: string;
  /** Equal numbers are equal files. */
  readonly content: number;
  /** Whether a rule of packages rejects it. */
  readonly isInvalid: boolean;
  readonly validationMs: number;
}

export function packageBytes(content: SimulatedPackage): Buffer {
  return Buffer.from(JSON.stringify(content));
}

export function parsePackage(bytes: Buffer): SimulatedPackage {
  return JSON.parse(bytes.toString()) as SimulatedPackage;
}

/** The result of the package rules for it. */
export function reportOf({ moduleId, scope, content, isInvalid }: SimulatedPackage): PackageReport {
  const location = { entry: 'ModuleDescriptor.json' };
  const subject = { moduleId, scope, moduleIdLocation: location, scopeLocation: location };
  if (isInvalid) {
    const problems = [problem('layout-folder-missing', 'The simulated package is invalid.')];
    return { problems, omittedErrors: new Map(), subject, content: null };
  }
  const file = {
    path: 'ModuleLogo/logo.png',
    mediaType: 'image/png',
    sizeBytes: 1,
    sha256: createHash('sha256').update(String(content)).digest('hex'),
    crc32: content,
    method: 'stored' as const,
    ...{ dataOffset: 0, packedBytes: 1, packedCrc32: content },
  };
  const descriptor = normalDescriptor({ schema: '1.0', moduleId, scope, translations: [] });
  return {
    problems: [],
    omittedErrors: new Map(),
    subject,
    content: { descriptor, subject, roles: null, alertRules: null, files: [file] },
  };
}
