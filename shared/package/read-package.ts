import type { AlertRules } from './alert-rules/alert-rules.ts';
import type { ArchiveEntry, ClosedEntry, EntryProof, EntryVisitor } from './archive/archive.ts';
import type { DescriptorContent } from './descriptor/validate-descriptor.ts';
import { validateFile, type FileRules, type FileToValidate } from './file-rules.ts';
import type { Layout } from './layout/layout.ts';
import { mediaTypeOf } from './layout/media-types.ts';
import { isReadForPrivateContent } from './layout/private-files.ts';
import type { FileKind } from './layout/package-folders.ts';
import type { PackageFile, ValidationSettings } from './package-report.ts';
import type { FoundProblems, Problem } from './problem.ts';
import type { RolesEntities } from './roles/roles-entities.ts';

/** Larger files of terms, privacy and the build are stored without a look at their content. */
const MAX_READ_BYTES = 10 * 1024 * 1024;

/** Validates the files of a package while they are read. */
export class PackageReader implements EntryVisitor {
  readonly problems: FoundProblems;
  /** The files that belong in the package, in the order of reading. */
  readonly files: PackageFile[] = [];
  descriptor: DescriptorContent | null = null;
  roles: RolesEntities | null = null;
  alertRules: AlertRules | null = null;
  private readonly layout: Layout;
  private readonly settings: ValidationSettings;
  private readonly validate: FileRules;
  private svgBytes = 0;

  constructor(
    layout: Layout,
    settings: ValidationSettings,
    problems: FoundProblems,
    validate: FileRules = validateFile,
  ) {
    this.problems = problems;
    this.layout = layout;
    this.settings = settings;
    this.validate = validate;
  }

  wantsWhole({ path, sizeBytes }: ArchiveEntry): boolean {
    const kind = this.layout.kinds.get(path);
    if (kind === undefined || this.layout.oversized.has(path)) return false;
    if (kind === 'artifact') return isReadForPrivateContent(path) && sizeBytes <= MAX_READ_BYTES;
    return (kind !== 'terms' && kind !== 'privacy') || sizeBytes <= MAX_READ_BYTES;
  }

  async whole(closed: ClosedEntry): Promise<Problem | undefined> {
    const { entry } = closed;
    const kind = this.layout.kinds.get(entry.path) ?? 'artifact';
    const read = await this.validate(closed, this.fileOf(kind));
    if ('problem' in read) return read.problem;
    const { problems, mediaType, svgBytes = 0, ...found } = read.findings;
    this.problems.addAll(problems);
    this.svgBytes += svgBytes;
    this.descriptor = found.descriptor ?? this.descriptor;
    this.roles = found.roles ?? this.roles;
    this.alertRules = found.alertRules ?? this.alertRules;
    if (mediaType !== null) this.addFile(entry, mediaType, read.proof);
    return undefined;
  }

  passed(entry: ArchiveEntry, proof: EntryProof): void {
    const { path } = entry;
    if (!this.layout.kinds.has(path) || this.layout.oversized.has(path)) return;
    this.addFile(entry, mediaTypeOf(path), proof);
  }

  private fileOf(kind: FileKind): FileToValidate {
    if (kind === 'descriptor') return { kind, catalogue: this.settings.catalogue, paths: this.layout.paths };
    return kind === 'image' || kind === 'logo' ? { kind, svgBytes: this.svgBytes } : { kind };
  }

  private addFile(entry: ArchiveEntry, mediaType: string, proof: EntryProof): void {
    const { path, sizeBytes, crc32, packedBytes } = entry;
    const method = entry.method === 0 ? 'stored' : 'deflate';
    this.files.push({ path, mediaType, sizeBytes, crc32, method, packedBytes, ...proof });
  }
}
