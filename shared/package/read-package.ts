import type { CheckSettings, PackageFile, PackageSink } from './package-report.ts';
import { judgeAlertRules } from './judge-alert-rules.ts';
import type { JudgedAlertRules } from './judge-alert-rules.ts';
import { judgeDescriptor } from './judge-descriptor.ts';
import type { JudgedDescriptor } from './judge-descriptor.ts';
import { judgeImage } from './judge-image.ts';
import { judgeRoles } from './judge-roles.ts';
import type { JudgedRoles } from './judge-roles.ts';
import type { Layout } from './layout.ts';
import { mediaTypeOf } from './media-types.ts';
import type { Problem } from './problem.ts';
import { problem } from './problem.ts';
import { looksLikeXml } from './svg-image.ts';
import type { ArchiveEntry, EntryVisitor, EntryWriter } from './zip/archive.ts';

/** Up to this size any file is held whole, which is much faster than pieces. */
const WHOLE_FILE_BYTES = 1024 * 1024;

/** The SVG images of one package together: judging takes up to half a second for each MiB. */
const MAX_SVG_BYTES = 32 * 1024 * 1024;

const DISCARD: EntryWriter = { write: () => undefined, end: () => undefined, abort: () => undefined };

/** Judges the files of a package while they are read, and hands on those that have a place in it. */
export class PackageReader implements EntryVisitor {
  readonly problems: Problem[] = [];
  /** The files that have a place in the package, in the order of reading. */
  readonly files: PackageFile[] = [];
  descriptor: JudgedDescriptor | null = null;
  roles: JudgedRoles | null = null;
  alertRules: JudgedAlertRules | null = null;
  private readonly layout: Layout;
  private readonly settings: CheckSettings;
  private readonly sink: PackageSink | undefined;
  private svgBytes = 0;

  constructor(layout: Layout, settings: CheckSettings, sink: PackageSink | undefined) {
    this.layout = layout;
    this.settings = settings;
    this.sink = sink;
  }

  wantsWhole({ path, sizeBytes }: ArchiveEntry): boolean {
    if (sizeBytes <= WHOLE_FILE_BYTES) return true;
    const kind = this.layout.kinds.get(path);
    if (kind === undefined || this.layout.oversized.has(path)) return false;
    return kind !== 'artifact' && kind !== 'terms' && kind !== 'privacy';
  }

  whole({ path, sizeBytes, crc32 }: ArchiveEntry, content: Buffer, sha256: string): void | Promise<void> {
    const mediaType = this.judge(path, content);
    if (mediaType === null) return undefined;
    const file = { path, sizeBytes, sha256, crc32, mediaType };
    this.files.push(file);
    return this.sink?.whole(file, content);
  }

  pieces({ path, sizeBytes, crc32 }: ArchiveEntry): EntryWriter {
    if (!this.layout.kinds.has(path) || this.layout.oversized.has(path)) return DISCARD;
    const mediaType = mediaTypeOf(path);
    const writer = this.sink?.pieces(path, sizeBytes, mediaType) ?? DISCARD;
    return {
      write: (piece) => writer.write(piece),
      end: (sha256) => {
        this.files.push({ path, sizeBytes, sha256, crc32, mediaType });
        return writer.end(sha256);
      },
      abort: () => writer.abort(),
    };
  }

  /** The media type of a file that is stored; null for the descriptor, and for what has no place or is no good. */
  private judge(path: string, content: Buffer): string | null {
    const kind = this.layout.kinds.get(path);
    if (kind === undefined || this.layout.oversized.has(path)) return null;
    switch (kind) {
      case 'descriptor':
        this.descriptor = judgeDescriptor(content, this.settings.catalogue, this.layout.paths);
        this.add(this.descriptor.problems);
        return null;
      case 'roles':
        this.roles = judgeRoles(path, content);
        this.add(this.roles.problems);
        break;
      case 'alertRules':
        this.alertRules = judgeAlertRules(path, content);
        this.add(this.alertRules.problems);
        break;
      case 'image':
      case 'logo':
        return this.judgeImage(path, content);
      case 'artifact':
      case 'terms':
      case 'privacy':
        break;
    }
    return mediaTypeOf(path);
  }

  private judgeImage(path: string, content: Buffer): string | null {
    const isSvg = looksLikeXml(content);
    if (isSvg) this.svgBytes += content.length;
    if (isSvg && this.svgBytes > MAX_SVG_BYTES) {
      const detail = `The SVG images of the package have more than ${MAX_SVG_BYTES} bytes together.`;
      this.add([problem('layout-file-too-large', detail, { entry: path })]);
      return null;
    }
    const judged = judgeImage(path, content);
    if ('mediaType' in judged) return judged.mediaType;
    this.add(judged.problems);
    return null;
  }

  private add(problems: readonly Problem[]): void {
    // One by one: as arguments of a call, a hundred thousand problems would end the stack.
    for (const each of problems) this.problems.push(each);
  }
}
