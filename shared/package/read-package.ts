import type { ValidationSettings, PackageFile } from './package-report.ts';
import type { AlertRules } from './alert-rules/alert-rules.ts';
import type { ValidatedDescriptor } from './descriptor/validate-descriptor.ts';
import { FILE_RULES, type FileReading, type FileRules } from './file-rules.ts';
import type { RolesEntities } from './roles/roles-entities.ts';
import type { ValidatedFile } from './schema/validate-file.ts';
import type { Layout } from './layout/layout.ts';
import { mediaTypeOf } from './layout/media-types.ts';
import type { FoundProblems, Problem } from './problem.ts';
import type { ArchiveEntry, ClosedEntry, EntryProof, EntryVisitor } from './archive/archive.ts';

/** Larger terms and privacy files are stored without a look at their content. */
const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;

/** Validates the files of a package while they are read. */
export class PackageReader implements EntryVisitor {
  readonly problems: FoundProblems;
  /** The files that belong in the package, in the order of reading. */
  readonly files: PackageFile[] = [];
  descriptor: ValidatedDescriptor | null = null;
  roles: RolesEntities | null = null;
  alertRules: AlertRules | null = null;
  private readonly layout: Layout;
  private readonly settings: ValidationSettings;
  private readonly rules: FileRules;
  private svgBytes = 0;

  constructor(
    layout: Layout,
    settings: ValidationSettings,
    problems: FoundProblems,
    rules: FileRules = FILE_RULES,
  ) {
    this.problems = problems;
    this.layout = layout;
    this.settings = settings;
    this.rules = rules;
  }

  wantsWhole({ path, sizeBytes }: ArchiveEntry): boolean {
    const kind = this.layout.kinds.get(path);
    if (kind === undefined || this.layout.oversized.has(path)) return false;
    if (kind === 'terms' || kind === 'privacy') return sizeBytes <= MAX_DOCUMENT_BYTES;
    return kind !== 'artifact';
  }

  whole(entry: ArchiveEntry, closed: ClosedEntry): Promise<Problem | undefined> {
    const { path } = entry;
    const { rules, settings } = this;
    switch (this.layout.kinds.get(path)) {
      case 'descriptor':
        return this.take(
          entry,
          rules.descriptor(closed, settings.catalogue, this.layout.paths),
          (descriptor) => {
            this.descriptor = descriptor;
            this.problems.addAll(descriptor.problems);
            // It is not served as a file.
            return null;
          },
        );
      case 'roles':
        return this.take(entry, rules.roles(closed, path), (roles) => {
          this.roles = this.valueOf(roles);
          return mediaTypeOf(path);
        });
      case 'alertRules':
        return this.take(entry, rules.alertRules(closed, path), (alertRules) => {
          this.alertRules = this.valueOf(alertRules);
          return mediaTypeOf(path);
        });
      case 'image':
      case 'logo':
        return this.take(entry, rules.image(closed, path, this.svgBytes), (image) => {
          this.svgBytes += image.svgBytes;
          this.problems.addAll(image.problems);
          return image.mediaType;
        });
      default:
        return this.take(entry, rules.document(closed, path), (problems) => {
          this.problems.addAll(problems);
          return mediaTypeOf(path);
        });
    }
  }

  passed(entry: ArchiveEntry, proof: EntryProof): void {
    const { path } = entry;
    if (!this.layout.kinds.has(path) || this.layout.oversized.has(path)) return;
    this.addFile(entry, mediaTypeOf(path), proof);
  }

  /** Adds what a rule has found, and the file if `accept` gives it a media type. */
  private async take<Result>(
    entry: ArchiveEntry,
    read: FileReading<Result> | Promise<FileReading<Result>>,
    accept: (result: Result) => string | null,
  ): Promise<Problem | undefined> {
    const found = await read;
    if ('problem' in found) return found.problem;
    const mediaType = accept(found.result);
    if (mediaType !== null) this.addFile(entry, mediaType, found.proof);
    return undefined;
  }

  private addFile(entry: ArchiveEntry, mediaType: string, proof: EntryProof): void {
    const { path, sizeBytes, crc32, method, packedBytes } = entry;
    this.files.push({ path, mediaType, sizeBytes, crc32, method, packedBytes, ...proof });
  }

  private valueOf<Value>({ value, problems }: ValidatedFile<Value>): Value | null {
    this.problems.addAll(problems);
    return value;
  }
}
