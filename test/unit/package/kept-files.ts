import { createHash } from 'node:crypto';
import type { PackageFile, PackageSink } from '../../../shared/package/check-package.ts';

/** A sink that keeps what it is given. */
export class KeptFiles implements PackageSink {
  readonly events: string[] = [];
  readonly contents = new Map<string, Buffer>();

  async whole(file: PackageFile, content: Buffer): Promise<void> {
    await Promise.resolve();
    this.events.push(`whole ${file.path} ${file.mediaType}`);
    this.contents.set(file.path, Buffer.from(content));
  }

  pieces(path: string, sizeBytes: number, mediaType: string) {
    const pieces: Buffer[] = [];
    this.events.push(`pieces ${path} ${sizeBytes} ${mediaType}`);
    return {
      write: (piece: Buffer) => {
        pieces.push(Buffer.from(piece));
      },
      end: (sha256: string) => {
        this.events.push(`end ${path} ${sha256}`);
        this.contents.set(path, Buffer.concat(pieces));
      },
      abort: () => {
        this.events.push(`abort ${path}`);
      },
    };
  }
}

/** The SHA-256 of a content, in hexadecimal digits. */
export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
