import type { ValidationSettings, PackageFile } from './package-report.ts';
import type { AlertRules } from './alert-rules/alert-rules.ts';
import type { ValidatedDescriptor } from './descriptor/validate-descriptor.ts';
import { namedTypeProblems, signedType } from './documents/named-type.ts';
import { FILE_RULES } from './file-rules.ts';
import type { FileRules } from './file-rules.ts';
import type { RolesEntities } from './roles/roles-entities.ts';
import type { ValidatedFile } from './schema/validate-file.ts';
import type { Layout } from './layout/layout.ts';
import { mediaTypeOf } from './layout/media-types.ts';
import type { FoundProblems } from './problem.ts';
import { problem } from './problem.ts';
import { looksLikeXml } from './images/svg-image.ts';
import type { ArchiveEntry, EntryProof, EntryVisitor } from './archive/archive.ts';

/** The SVG images of one package together: validating takes up to half a second for each MiB. */
const MAX_SVG_BYTES = 32 * 1024 * 1024;
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

  whole(entry: ArchiveEntry, content: Buffer, proof: EntryProof): Promise<void> {
    return this.validate(entry.path, content).then((mediaType) => {
      if (mediaType !== null) this.addFile(entry, mediaType, proof);
    });
  }

  passed(entry: ArchiveEntry, proof: EntryProof): void {
    const { path } = entry;
    if (!this.layout.kinds.has(path) || this.layout.oversized.has(path)) return;
    this.addFile(entry, mediaTypeOf(path), proof);
  }

  /** The media type of a file that can be served; null for the descriptor, and for what does not belong or is invalid. */
  private async validate(path: string, content: Buffer): Promise<string | null> {
    const kind = this.layout.kinds.get(path);
    if (kind === undefined || this.layout.oversized.has(path)) return null;
    switch (kind) {
      case 'descriptor':
        this.descriptor = await this.rules.descriptor(content, this.settings.catalogue, this.layout.paths);
        this.problems.addAll(this.descriptor.problems);
        return null;
      case 'roles':
        this.roles = this.valueOf(await this.rules.roles(path, content));
        break;
      case 'alertRules':
        this.alertRules = this.valueOf(await this.rules.alertRules(path, content));
        break;
      case 'image':
      case 'logo':
        return this.validateImage(path, content);
      case 'terms':
      case 'privacy':
        return this.validateDocument(path, content);
      case 'artifact':
        break;
    }
    return mediaTypeOf(path);
  }

  /** Terms and privacy files may be of any type: only warnings come of it. */
  private async validateDocument(path: string, content: Buffer): Promise<string> {
    const type = signedType(content);
    this.problems.addAll(namedTypeProblems(path, type));
    this.problems.addAll(await this.rules.document(path, content, type ?? mediaTypeOf(path)));
    return mediaTypeOf(path);
  }

  private async validateImage(path: string, content: Buffer): Promise<string | null> {
    const isSvg = looksLikeXml(content);
    if (isSvg) this.svgBytes += content.length;
    if (isSvg && this.svgBytes > MAX_SVG_BYTES) {
      const detail = `The SVG images of the package have more than ${MAX_SVG_BYTES} bytes together.`;
      this.problems.add(problem('layout-file-too-large', detail, { entry: path }));
      return null;
    }
    const validated = await this.rules.image(path, content);
    if ('mediaType' in validated) {
      this.problems.addAll(namedTypeProblems(path, validated.mediaType));
      return validated.mediaType;
    }
    this.problems.addAll(validated.problems);
    return null;
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
