import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
  type CreateMultipartUploadCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ByteReader } from '../package/archive/byte-reader.ts';

/** Where an object is stored. */
interface ObjectLocation {
  readonly Bucket: string;
  readonly Key: string;
}

/** How the store encrypts the object, and the checksums of its parts, where they have some. */
export type UploadOptions = Pick<
  CreateMultipartUploadCommandInput,
  'ServerSideEncryption' | 'ChecksumAlgorithm'
>;

/**
 * Stores a body of unknown length, part after part, from one buffer: the SDK's own upload allocates each part anew and
 * needs three times the memory.
 * @param buffer the first part; reused for each of the others
 * @returns the length in bytes
 * @throws what the body or the server throws; then nothing is stored
 */
export async function uploadInParts(
  client: S3Client,
  location: ObjectLocation,
  options: UploadOptions,
  buffer: Buffer,
  body: ByteReader,
): Promise<number> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...location, ...options }));
  const upload = { ...location, UploadId };
  try {
    const Parts: CompletedPart[] = [];
    let sizeBytes = 0;
    for (let length = buffer.length; length > 0; length = await body.fill(buffer)) {
      const PartNumber = Parts.length + 1;
      const Body = buffer.subarray(0, length);
      const { ETag, ChecksumCRC32 } = await client.send(
        new UploadPartCommand({ ...upload, PartNumber, Body }),
      );
      Parts.push({ PartNumber, ETag, ChecksumCRC32 });
      sizeBytes += length;
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    return sizeBytes;
  } catch (error) {
    // Not awaited: the client need not wait for a store that does not answer. When it fails, garbage collection removes the parts.
    client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}
